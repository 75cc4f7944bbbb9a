"""A function of one example, called for every example of a batch."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from smalltorch.joining import stack
from smalltorch.names import lacking
from smalltorch.tensor import Tensor

__all__ = ["vmap"]


def vmap(func: Callable[..., Any], in_dims: Any = 0, out_dims: int = 0) -> Callable[..., Any]:
    """Return a function that takes and returns one axis more.

    Args:
        func: of tensors; it returns one, or several.
        in_dims: which axis of the arguments counts the examples, or of each; None: of this none.
        out_dims: which axis of the results does.
    """

    @wraps(func)
    def mapped(*args: Any) -> Any:
        axes = in_dims if isinstance(in_dims, tuple) else (in_dims,) * len(args)
        columns = [_examples(each, axis) for each, axis in zip(args, axes, strict=True)]
        counts = {len(column) for column in columns if column is not None}
        if len(counts) != 1:
            raise ValueError("vmap: Expected all tensors to have the same size in the mapped dim")
        results = [
            func(
                *(
                    arg if column is None else column[place]
                    for arg, column in zip(args, columns, strict=True)
                )
            )
            for place in range(counts.pop())
        ]
        if isinstance(results[0], tuple):
            return tuple(stack(list(column), out_dims) for column in zip(*results, strict=True))
        return stack(results, out_dims)

    return mapped


def _examples(value: Any, axis: int | None) -> tuple[Tensor, ...] | None:
    if axis is None:
        return None
    if not isinstance(value, Tensor):
        raise ValueError(f"vmap: Got in_dim={axis} for an input of type {type(value)}")
    return value.unbind(axis)


def __getattr__(name: str) -> object:
    raise lacking(name, "torch.func")


FUNCTIONS = "vmap"
