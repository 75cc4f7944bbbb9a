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
        if len(axes) != len(args):
            raise ValueError(
                f"vmap({func.__name__}, in_dims={in_dims}, ...)(<inputs>): in_dims is not "
                "compatible "
                "with the structure of inputs."
            )
        columns = [_examples(each, axis) for each, axis in zip(args, axes, strict=True)]
        counts = {len(column) for column in columns if column is not None}
        if not counts:
            raise ValueError(
                f"vmap({func.__name__}, in_dims={in_dims}, ...)(<inputs>): at least one input must "
                "have a batch dimension (in_dims is not None)"
            )
        if len(counts) > 1:
            sizes = [len(column) for column in columns if column is not None]
            raise ValueError(
                "vmap: Expected all tensors to have the same size in the mapped dimension, got "
                "sizes "
                f"{sizes} for the mapped dimension"
            )
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
        raise ValueError(
            f"vmap: Got in_dim={axis} for an input but the input is of type {type(value)}. We "
            "cannot "
            "vmap over non-Tensor arguments, please use None as the respective in_dim"
        )
    return value.unbind(axis)


def __getattr__(name: str) -> object:
    raise lacking(name, "torch.func")


FUNCTIONS = "vmap"
