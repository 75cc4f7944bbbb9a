"""A tensor that a module learns."""

from typing import Any

from smalltorch.autograd import detach
from smalltorch.tensor import Tensor

__all__ = ["Parameter"]


class Parameter(Tensor):
    """A tensor that a module takes for one of its own; it asks for a gradient."""

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> "Parameter":
        """Return a tensor that shares the numbers of `data`."""
        from smalltorch.creation import empty

        parameter = detach(empty(0) if data is None else data)
        parameter.__class__ = cls
        parameter.requires_grad = requires_grad
        return parameter  # type: ignore[return-value]

    def __repr__(self, **_options: Any) -> str:
        return f"Parameter containing:\n{super().__repr__()}"

    __str__ = __repr__
