"""Joining tensors along an axis, old or new."""

from collections.abc import Sequence
from functools import reduce
from itertools import chain
from math import prod
from typing import Any

from smalltorch.arguments import integer_argument, kind_name, wrong_kind
from smalltorch.autograd import record
from smalltorch.dtypes import promote_types
from smalltorch.geometry import axis_of
from smalltorch.overrides import operation
from smalltorch.parts import narrow
from smalltorch.tensor import Tensor, made, values
from smalltorch.views import atleast_1d, atleast_2d, unsqueeze


@operation
def cat(tensors: Any, dim: Any = 0) -> Tensor:
    """Return tensors joined along an axis that they have."""
    _check_tensors("cat", tensors)
    if isinstance(dim, bool) or not hasattr(dim, "__index__"):
        raise TypeError(f"cat(): argument 'dim' must be int, not {kind_name(dim)}")
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    for place, each in enumerate(tensors):
        if not each.shape:
            raise RuntimeError(
                f"zero-dimensional tensor (at position {place}) cannot be concatenated"
            )
    kind = reduce(promote_types, (each.dtype for each in tensors))
    parts = [each for each in tensors if each.shape != (0,)] or list(tensors[:1])
    joined = axis_of(dim, parts[0].ndim)
    _check_shapes([each.shape for each in parts], joined)
    shape = list(parts[0].shape)
    shape[joined] = sum(each.shape[joined] for each in parts)
    result = made(_rows_joined(parts, joined), shape, kind)
    starts = [sum(each.shape[joined] for each in parts[:place]) for place in range(len(parts))]
    ways = [
        (each, lambda g, start=start, n=each.shape[joined]: narrow(g, joined, start, n))
        for each, start in zip(parts, starts, strict=True)
    ]
    return record(result, "Cat", *ways)


concat = concatenate = cat


def _rows_joined(parts: Sequence[Tensor], axis: int) -> Any:
    """Return the numbers: for each place before the axis, a run out of every part."""
    if axis == 0 or prod(parts[0].shape[:axis]) == 1:
        return chain.from_iterable(map(values, parts))
    runs = [(values(each), prod(each.shape[axis:])) for each in parts]
    return chain.from_iterable(
        numbers[row * length : (row + 1) * length]
        for row in range(prod(parts[0].shape[:axis]))
        for numbers, length in runs
    )


def _check_tensors(name: str, tensors: Any) -> None:
    if not isinstance(tensors, (tuple, list)):
        raise wrong_kind(name, "tensors", 1, "tuple of Tensors", tensors)
    for place, each in enumerate(tensors):
        if not isinstance(each, Tensor):
            raise TypeError(
                f"expected Tensor as element {place} in argument 0, but got {kind_name(each)}"
            )


def _check_shapes(shapes: Sequence[Sequence[int]], joined: int) -> None:
    first = shapes[0]
    for place, shape in enumerate(shapes):
        if len(shape) != len(first):
            raise RuntimeError(
                f"Tensors must have same number of dimensions: got {len(first)} and {len(shape)}"
            )
        for axis, (wanted, got) in enumerate(zip(first, shape, strict=True)):
            if axis != joined and wanted != got:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {joined}. Expected size "
                    f"{wanted} but got size {got} for tensor number {place} in the list."
                )


@operation
def stack(tensors: Any, dim: Any = 0) -> Tensor:
    """Return tensors of one shape joined along a new axis."""
    _check_tensors("stack", tensors)
    integer_argument("stack", "dim", 2, dim)
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    for place, each in enumerate(tensors):
        if each.shape != tensors[0].shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(tensors[0].shape)} at "
                f"entry 0 and {list(each.shape)} at entry {place}"
            )
    axis = axis_of(dim, tensors[0].ndim + 1)
    return cat([unsqueeze(each, axis) for each in tensors], axis)


@operation
def hstack(tensors: Any) -> Tensor:
    """Return tensors joined along the second axis; vectors along the only one."""
    parts = _at_least("hstack", atleast_1d, tensors)
    return cat(parts, 0 if parts[0].ndim == 1 else 1)


@operation
def vstack(tensors: Any) -> Tensor:
    """Return tensors joined along the first axis; a vector counts as a row."""
    return cat(_at_least("vstack", atleast_2d, tensors), 0)


@operation
def column_stack(tensors: Any) -> Tensor:
    """Return tensors joined along the second axis; a vector counts as a column."""
    parts = _at_least("column_stack", atleast_1d, tensors)
    return cat([unsqueeze(each, 1) if each.ndim == 1 else each for each in parts], 1)


def _at_least(name: str, shaped: Any, tensors: Any) -> list[Tensor]:
    _check_tensors(name, tensors)
    if not tensors:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return [shaped(each) for each in tensors]


FUNCTIONS = "cat concat concatenate stack hstack vstack column_stack"
