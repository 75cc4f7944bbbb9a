"""Shapes, strides and positions: where the numbers of a tensor lie in its storage.

A tensor of shape (2, 3) with strides (3, 1) and offset 0 has its entry [i, j] at place 3 i + j.
Another shape, other strides and another offset on the same storage are a view: nothing is copied.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from operator import index, itemgetter
from typing import Any

Shape = tuple[int, ...]
KEPT = 8192  # answers of the functions below that are remembered: an exercise asks them again


class Size(tuple[int, ...]):
    """The shape of a tensor."""

    def numel(self) -> int:
        """Return how many entries a tensor of this shape has."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    __str__ = __repr__

    def __getitem__(self, at: Any) -> Any:
        found = tuple.__getitem__(self, at)
        return Size(found) if isinstance(at, slice) else found

    def __add__(self, other: Iterable[int]) -> "Size":  # type: ignore[override]
        return Size((*self, *other))


@lru_cache(KEPT)
def contiguous_strides(shape: Shape) -> Shape:
    """Return the strides of numbers that lie row by row."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


@lru_cache(KEPT)
def is_contiguous(shape: Shape, strides: Shape) -> bool:
    """Say whether numbers lie row by row; the stride of an axis of length one does not matter."""
    step = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size == 0:
            return True
        if size != 1:
            if stride != step:
                return False
            step *= size
    return True


@lru_cache(KEPT)
def is_dense(shape: Shape, strides: Shape) -> bool:
    """Say whether numbers lie row by row once the axes are put in order: no gap, none twice."""
    order = sorted(range(len(shape)), key=lambda axis: -strides[axis])
    order = [axis for axis in order if shape[axis] != 1]
    return is_contiguous(
        tuple(shape[axis] for axis in order), tuple(strides[axis] for axis in order)
    )


@lru_cache(KEPT)
def positions(shape: Shape, strides: Shape, offset: int = 0) -> list[int]:
    """Return where each entry lies, row by row. The list is shared: nobody changes it."""
    found = [offset]
    for size, stride in zip(shape, strides, strict=True):
        steps = range(0, size * stride, stride) if stride else (0,) * size
        found = [place + step for place in found for step in steps]
    return found


@lru_cache(KEPT)
def reader(shape: Shape, strides: Shape, offset: int) -> Callable[[Any], Sequence[Any]]:
    """Return a function that reads the entries out of a storage, row by row."""
    found = positions(shape, strides, offset)
    if len(found) > 1:
        return itemgetter(*found)
    return lambda data: tuple(data[place] for place in found)


@lru_cache(KEPT)
def broadcast_shape(a: Shape, b: Shape) -> Size:
    """Return the shape that two shapes stretch to.

    Raises:
        RuntimeError: they do not fit.
    """
    length = max(len(a), len(b))
    a, b = (1,) * (length - len(a)) + a, (1,) * (length - len(b)) + b
    for axis in reversed(range(length)):  # torch names the last axis that does not fit
        if a[axis] != b[axis] and 1 not in (a[axis], b[axis]):
            raise RuntimeError(
                f"The size of tensor a ({a[axis]}) must match the size of tensor b ({b[axis]}) at "
                f"non-singleton dimension {axis}"
            )
    return Size(y if x == 1 else x for x, y in zip(a, b, strict=True))


@lru_cache(KEPT)
def stretched(shape: Shape, strides: Shape, target: Shape) -> Shape:
    """Return strides that read a tensor as one of a larger shape: 0 along what is stretched."""
    kept = (0 if size == 1 else stride for size, stride in zip(shape, strides, strict=True))
    return (0,) * (len(target) - len(shape)) + tuple(kept)


@lru_cache(KEPT)
def dense_strides(shape: Shape, *strides: Shape) -> Shape:
    """Return strides without gaps that keep the order in which the axes lie: of the operands.

    Args:
        shape: of the result.
        strides: of each operand, stretched to that shape; of two orders the first one counts.
    """
    if all(is_contiguous(shape, each) for each in strides):
        return contiguous_strides(shape)
    inner_first = list(reversed(range(len(shape))))
    for at in range(1, len(shape)):
        for before in reversed(range(at)):
            order = _lies_within(inner_first[before], inner_first[at], shape, strides)
            if order < 0:
                break
            if order > 0:
                inner_first[before], inner_first[at] = inner_first[at], inner_first[before]
                at = before
    found, step = [0] * len(shape), 1
    for axis in inner_first:
        found[axis] = step
        step *= shape[axis]
    return tuple(found)


def _lies_within(a: int, b: int, shape: Shape, strides: tuple[Shape, ...]) -> int:
    """Return -1 where axis a lies within axis b, 1 where b lies within a, else 0: as it comes."""
    for each in strides:
        if 0 in (each[a], each[b]):
            continue
        if each[a] != each[b]:
            return -1 if each[a] < each[b] else 1
        if shape[a] > shape[b]:
            return 1
    return 0


def axis_of(axis: Any, ndim: int) -> int:
    """Return an axis counted from the front.

    Raises:
        IndexError: there is no such axis.
    """
    if isinstance(axis, bool):
        raise TypeError("argument 'dim' must be int, not bool")
    count, axis = max(ndim, 1), index(axis)
    if not -count <= axis < count:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], "
            f"but got {axis})"
        )
    return axis % count


def axes_of(axes: Any, ndim: int) -> tuple[int, ...]:
    """Return axes in ascending order: of a number, of several, of None all.

    Raises:
        IndexError: there is no such axis.
        RuntimeError: one is named twice.
    """
    if axes is None:
        return tuple(range(ndim))
    found = [axis_of(axis, ndim) for axis in (axes if isinstance(axes, (list, tuple)) else [axes])]
    for axis in found:
        if found.count(axis) > 1:
            raise RuntimeError(f"dim {axis} appears multiple times in the list of dims")
    return tuple(sorted(found)[:ndim]) if found else tuple(range(ndim))


FUNCTIONS = "Size"
