"""The graph of what was computed: its nodes, and what is kept for the way back."""

from collections.abc import Callable
from typing import Any

from smalltorch.autograd import HOOKS, Node
from smalltorch.names import lacking
from smalltorch.tensor import Tensor

__all__ = ["Node", "saved_tensors_hooks"]


class saved_tensors_hooks:  # noqa: N801
    """Keep what `pack_hook` returns in place of each tensor that is kept for the way back."""

    def __init__(
        self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]
    ) -> None:
        self._hooks = pack_hook, unpack_hook

    def __enter__(self) -> None:
        HOOKS.append(self._hooks)

    def __exit__(self, *_error: object) -> None:
        HOOKS.pop()


def __getattr__(name: str) -> object:
    raise lacking(name, "torch.autograd.graph")
