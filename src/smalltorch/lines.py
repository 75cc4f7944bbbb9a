"""The lines of a tensor: the numbers that lie along some of its axes.

The lines of a matrix along axis 1 are its rows, those along axis 0 its columns. A sum, a softmax
and a sort each do one thing to every line: `lines` takes a tensor apart, `woven` puts lines
together again, and `selected` takes some numbers out of each.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from math import prod
from operator import ne
from typing import Any

from smalltorch.arguments import bad_call
from smalltorch.dtypes import INTEGER, dtype, int64
from smalltorch.gathering import take
from smalltorch.geometry import Shape, Size, axes_of, reader
from smalltorch.tensor import Tensor, made, values

Line = Sequence[Any]


class Unnamed:
    """The type of `ALL`."""


ALL = Unnamed()  # the axis where a call names none


def flag(name: str, value: Any) -> bool:
    """Return a switch: torch takes no number for one.

    Raises:
        TypeError: it is not a bool.
    """
    if not isinstance(value, bool):
        raise TypeError(f"argument '{name}' must be bool, not {type(value).__name__}")
    return value


def axes_named(function: str, input: Tensor, dim: Any, keepdim: Any) -> Shape:
    """Return the axes that a call names; where it names none, all.

    Raises:
        TypeError: it names none, and yet says whether they are kept.
    """
    if dim is not ALL:
        return axes_of(dim, input.ndim)
    if keepdim is not False:
        raise bad_call(function, keepdim)
    return tuple(range(input.ndim))


def reduced_shape(shape: Shape, axes: Shape, keepdim: Any) -> Size:
    """Return the shape of one number for each line: the axes have length one, or are gone."""
    if flag("keepdim", keepdim):
        return Size(1 if axis in axes else size for axis, size in enumerate(shape))
    return Size(size for axis, size in enumerate(shape) if axis not in axes)


def restored(reduced: Tensor, axes: Shape, shape: Shape) -> Tensor:
    """Return numbers, one for each line, in a shape that stretches to that of all."""
    kept = reduced_shape(shape, axes, True)
    return reduced if reduced.shape == kept else reduced.reshape(kept)


def lines(tensor: Tensor, axes: Shape) -> list[Line]:
    """Return the numbers along the axes, for each place along the others, row by row."""
    shape = tensor.shape
    others = [axis for axis in range(len(shape)) if axis not in axes]
    length, count = prod(shape[axis] for axis in axes), prod(shape[axis] for axis in others)
    if not length:
        return [()] * count
    if axes and axes[-1] - axes[0] >= len(axes):  # others lie in between
        order = [*others, *axes]
        lengths, strides = zip(
            *((shape[axis], tensor._strides[axis]) for axis in order), strict=True
        )
        numbers, step = reader(lengths, strides, tensor._offset)(tensor.storage.data), 1
    else:
        numbers, step = values(tensor), prod(shape[axes[-1] + 1 :]) if axes else 1
    if count <= 1:
        return [numbers][:count]
    block = length * step
    return [
        numbers[first:end:step]
        for end in range(block, len(numbers) + 1, block)
        for first in range(end - block, end - block + step)
    ]


def woven(lines: Sequence[Iterable[Any]], shape: Shape, axis: int) -> Iterable[Any]:
    """Return the numbers of lines along one axis of a tensor of this shape, row by row."""
    step = prod(shape[axis + 1 :])
    if step <= 1:
        return chain.from_iterable(lines)
    blocks = (lines[start : start + step] for start in range(0, len(lines), step))
    return chain.from_iterable(chain.from_iterable(zip(*block, strict=True)) for block in blocks)


def reduced(
    function: Callable[[Line], Any], input: Tensor, axes: Shape, keepdim: Any, kind: dtype
) -> Tensor:
    """Return what a function makes of each line; without a history."""
    shape = reduced_shape(input.shape, axes, keepdim)
    return made(map(function, lines(input, axes)), shape, kind)


def selected(
    input: Tensor, axis: int, places: Sequence[Line], count: int | None, name: str
) -> tuple[Tensor, Tensor]:
    """Return numbers of each line, and where in the line they are.

    Args:
        places: for each line along the axis, the places of the numbers that are taken.
        count: how many are taken of each; None for one, which leaves no axis behind.
    """
    shape = input.shape
    length, step = (shape or (1,))[axis], prod(shape[axis + 1 :])
    taken = (1 if count is None else count,) if shape else ()
    full = Size((*shape[:axis], *taken, *shape[axis + 1 :]))
    starts = (number // step * length * step + number % step for number in range(len(places)))
    spots = [
        [start + step * place for place in chosen]
        for start, chosen in zip(starts, places, strict=True)
    ]
    result = full if count is not None else reduced_shape(full, (axis,) if shape else (), False)
    found = take(input, list(woven(spots, full, axis)), result, name)
    return found, made(woven(places, full, axis), result, int64)


def has_nan(tensor: Tensor) -> bool:
    """Say whether one of the numbers is nan."""
    if tensor.dtype.kind <= INTEGER:
        return False
    numbers = values(tensor)
    total = sum(numbers)
    return bool(total != total) and any(map(ne, numbers, numbers))
