"""Of torch.nn.utils only what fills sequences up."""

from smalltorch.names import lacking
from smalltorch.nn.utils import rnn

__all__ = ["rnn"]


def __getattr__(name: str) -> object:
    raise lacking(name, "torch.nn.utils")
