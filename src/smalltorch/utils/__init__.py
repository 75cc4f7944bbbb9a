"""What torch keeps under `torch.utils`."""

from smalltorch.names import lacking


def __getattr__(name: str) -> object:
    raise lacking(name, "torch.utils")
