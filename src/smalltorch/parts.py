"""Parts of a tensor that are views of it: a slice, a diagonal, one place of an axis, pieces."""

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from operator import index
from typing import Any

from smalltorch.arguments import integer_argument, kind_name
from smalltorch.autograd import view_of, views_of
from smalltorch.gathering import places_in, spread
from smalltorch.geometry import Shape, axis_of, contiguous_strides, positions
from smalltorch.overrides import operation
from smalltorch.tensor import Tensor

Reading = tuple[Shape, Shape, int]  # shape, strides and offset


def part(tensor: Tensor, name: str, look: Callable[[Shape, Shape, int], Reading]) -> Tensor:
    """Return a view of some of the entries.

    Args:
        tensor: what is looked at.
        name: torch's name of the step.
        look: from shape, strides and offset of a tensor to those of the view.
    """
    whole, reading = tensor.shape, look(tensor.shape, tensor._strides, tensor._offset)

    def back(gradient: Tensor) -> Tensor:
        places = positions(*look(whole, contiguous_strides(whole), 0))
        return spread(gradient, places, whole)

    return view_of(tensor, *reading, name, back)


def sliced(reading: Reading, axis: int, start: int, length: int, step: int = 1) -> Reading:
    """Return a reading of every `step`-th entry along one axis."""
    shape, strides, offset = reading
    return (
        (*shape[:axis], length, *shape[axis + 1 :]),
        (*strides[:axis], strides[axis] * step, *strides[axis + 1 :]),
        offset + start * strides[axis],
    )


def selected(reading: Reading, axis: int, place: int) -> Reading:
    """Return a reading of one place of an axis, without that axis."""
    shape, strides, offset = sliced(reading, axis, place, 1)
    return ((*shape[:axis], *shape[axis + 1 :]), (*strides[:axis], *strides[axis + 1 :]), offset)


@operation
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """Return a view of one place of an axis, without that axis."""
    if not input.shape:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    axis, place = axis_of(dim, input.ndim), integer_argument("select", "index", 2, index)
    size = input.shape[axis]
    if not -size <= place < size:
        raise IndexError(
            f"select(): index {place} out of range for tensor of size {list(input.shape)} at "
            f"dimension {axis}"
        )
    return part(input, "Select", lambda *reading: selected(reading, axis, place % size))


@operation
def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """Return a view of `length` places of an axis."""
    if not input.shape:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    axis, first = axis_of(dim, input.ndim), index(start)
    size = input.shape[axis]
    if not -size <= first <= size:
        raise IndexError(
            f"start out of range (expected to be in range of [{-size}, {size}], but got {first})"
        )
    first += size if first < 0 else 0
    if first + length > size:
        raise RuntimeError(f"start ({first}) + length ({length}) exceeds dimension size ({size}).")
    return part(input, "Slice", lambda *reading: sliced(reading, axis, first, length))


@operation
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """Return a view of the diagonals of two axes, along a new last axis."""
    a, b = axis_of(dim1, input.ndim), axis_of(dim2, input.ndim)
    if a == b:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    down, right = max(-offset, 0), max(offset, 0)

    def look(shape: Shape, strides: Shape, start: int) -> Reading:
        length = max(min(shape[a] - down, shape[b] - right), 0)
        rest = [axis for axis in range(len(shape)) if axis not in (a, b)]
        return (
            (*(shape[axis] for axis in rest), length),
            (*(strides[axis] for axis in rest), strides[a] + strides[b]),
            start + (down * strides[a] + right * strides[b] if length else 0),
        )

    return part(input, "Diagonal", look)


@operation
def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Return a view of all windows along an axis, each along a new last axis."""
    axis = axis_of(dimension, input.ndim)
    longest = input.shape[axis] if input.shape else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > longest:
        raise RuntimeError(
            f"maximum size for tensor at dimension {axis} is {longest} but size is {size}"
        )
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")

    def look(shape: Shape, strides: Shape, start: int) -> Reading:
        count = (shape[axis] - size) // step + 1
        windows, steps, start = sliced((shape, strides, start), axis, 0, count, step)
        return (*windows, size), (*steps, strides[axis]), start

    return part(input, "Unfold", look)


@operation
def as_strided(
    input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Tensor:
    """Return a view with any shape and strides on the storage of a tensor."""
    offset = input._offset if storage_offset is None else storage_offset
    shape, strides, whole = tuple(size), tuple(stride), input.shape
    end = offset + 1 + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
    if 0 not in shape and end > len(input.storage.data):
        raise RuntimeError(
            f"setStorage: sizes {list(shape)}, strides {list(strides)}, storage offset {offset}, "
            f"and itemsize {input.itemsize} requiring a storage size of {end * input.itemsize} are "
            f"out of bounds for storage of size {len(input.storage.data) * input.itemsize}"
        )
    result = view_of(
        input,
        shape,
        strides,
        offset,
        "AsStrided",
        lambda gradient: spread(gradient, places_in(input, result), whole),
    )
    return result


# ---- Several pieces


@operation
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Return views of all places of an axis, each without that axis."""
    if not input.shape:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    axis = axis_of(dim, input.ndim)
    whole = input.shape, input._strides, input._offset
    readings = [selected(whole, axis, place) for place in range(input.shape[axis])]
    return views_of(
        input, readings, "Unbind", lambda *gradients: _stacked(gradients, readings, axis)
    )


@operation
def split(input: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Return views of pieces along an axis, of one size or of the sizes listed."""
    by = split_size_or_sections
    if isinstance(by, (tuple, list)):
        return split_with_sizes(input, by, dim)
    if isinstance(by, bool) or not hasattr(by, "__index__"):
        raise TypeError(
            "split_with_sizes(): argument 'split_sizes' (position 2) must be tuple of ints, not "
            f"{kind_name(by)}"
        )
    if not input.shape:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    axis, length = axis_of(dim, input.ndim), index(by)
    size = input.shape[axis]
    if length < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={length}")
    if not length and size:
        raise RuntimeError(
            f"split_size can only be 0 if dimension size is 0, but got dimension size of {size}"
        )
    starts = range(0, size, length) if size else (0,)
    return _pieces(input, [min(length, size - start) for start in starts], axis, "Split")


@operation
def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Return views of pieces along an axis, of the sizes listed."""
    for place, size in enumerate(split_sizes):
        if isinstance(size, bool) or not hasattr(size, "__index__"):
            raise TypeError(
                "split_with_sizes(): argument 'split_sizes' (position 2) must be tuple of ints, "
                f"but found element of type {kind_name(size)} at pos {place}"
            )
    axis, sizes = axis_of(dim, input.ndim), list(map(index, split_sizes))
    if not input.shape:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    if min(sizes, default=0) < 0:
        raise RuntimeError(
            "split_with_sizes expects split_sizes have only non-negative entries, but got "
            f"split_sizes={sizes}"
        )
    if sum(sizes) != input.shape[axis]:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {input.shape[axis]} (input "
            f"tensor's size at dimension {axis}), but got split_sizes={sizes}"
        )
    return _pieces(input, sizes, axis, "SplitWithSizes")


def _pieces(tensor: Tensor, sizes: Sequence[int], axis: int, name: str) -> tuple[Tensor, ...]:
    whole = tensor.shape, tensor._strides, tensor._offset
    starts = accumulate(sizes, initial=0)
    readings = [
        sliced(whole, axis, start, size) for start, size in zip(starts, sizes, strict=False)
    ]
    return views_of(tensor, readings, name, lambda *gradients: _joined(gradients, readings, axis))


def _joined(gradients: Sequence[Any], readings: Sequence[Reading], axis: int) -> Tensor:
    """Return the gradients of pieces joined; zeros for a piece without one."""
    from smalltorch.joining import cat

    return cat(_completed(gradients, readings), axis)


def _stacked(gradients: Sequence[Any], readings: Sequence[Reading], axis: int) -> Tensor:
    from smalltorch.joining import stack

    return stack(_completed(gradients, readings), axis)


def _completed(gradients: Sequence[Any], readings: Sequence[Reading]) -> list[Tensor]:
    one = next(gradient for gradient in gradients if gradient is not None)
    return [
        one.new_zeros(shape) if gradient is None else gradient
        for gradient, (shape, _strides, _offset) in zip(gradients, readings, strict=True)
    ]


@operation
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Return views of pieces along an axis, all of one size but the last, at most so many."""
    count = integer_argument("chunk", "chunks", 1, chunks)
    if not input.shape:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if count <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {count}")
    size = input.shape[axis_of(dim, input.ndim)]
    if not size:
        return split_with_sizes(input, [0] * count, dim)
    return split(input, -(-size // count), dim)


@operation
def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Return views of as many pieces as equal as can be, or of those between the places listed."""
    axis, by = axis_of(dim, input.ndim), indices_or_sections
    size = input.shape[axis]
    if isinstance(by, Tensor):
        by = by.tolist()
    if isinstance(by, int):
        if by <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {by}")
        cuts = [part * (size // by) + min(part, size % by) for part in range(1, by)]
    else:
        cuts = [slice(at, None).indices(size)[0] for at in by]
    return tuple(
        part(input, "Slice", lambda *reading, a=a, b=b: sliced(reading, axis, a, max(b - a, 0)))
        for a, b in pairwise((0, *cuts, size))
    )


FUNCTIONS = "select narrow diagonal as_strided unbind split split_with_sizes chunk tensor_split"
METHODS = FUNCTIONS + " unfold"
