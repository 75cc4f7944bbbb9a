"""Entries in another order, several times over, or in patterns: repeat, flip, tril, meshgrid."""

import itertools
from collections.abc import Callable, Sequence
from math import prod
from operator import index
from typing import Any

from smalltorch.arguments import bad_call, dtype_argument, integer_argument, is_length, lengths
from smalltorch.autograd import record
from smalltorch.dtypes import INTEGER, class_name, int64
from smalltorch.gathering import spread, take
from smalltorch.geometry import Shape, Size, axis_of, contiguous_strides
from smalltorch.joining import cat, stack
from smalltorch.overrides import operation
from smalltorch.parts import diagonal
from smalltorch.stretching import expand
from smalltorch.tensor import Tensor, made, values
from smalltorch.views import atleast_2d, movedim, reshape


def at(tensor: Tensor, places: Sequence[Sequence[int]], name: str, shape: Shape = ()) -> Tensor:
    """Return the entries at some places of each axis, which may repeat."""
    shape = shape or tensor.shape
    found = [0]
    for step, chosen in zip(contiguous_strides(shape), places, strict=True):
        steps = [place * step for place in chosen]
        found = [start + each for start in found for each in steps]
    return take(tensor, found, Size(map(len, places)), name)


def along(tensor: Tensor, axis: int, places: Sequence[int], name: str) -> Tensor:
    """Return the entries at some places of one axis, which may repeat."""
    every: list[Sequence[int]] = [range(size) for size in tensor.shape]
    every[axis] = places
    return at(tensor, every, name)


# ---- Several times over


@operation
def repeat(input: Tensor, repeats: Sequence[int]) -> Tensor:
    """Return a tensor over and over along each axis, and along new ones in front."""
    times = lengths("repeat", "repeats", repeats)
    new = len(times) - input.ndim
    if new < 0:
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
            "tensor"
        )
    shape = (1,) * new + input.shape
    if min(times, default=0) < 0:
        sizes = [size * count for size, count in zip(shape, times, strict=True)]
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(sizes)}: {sizes}")
    places = [[*range(size)] * count for size, count in zip(shape, times, strict=True)]
    return at(input, places, "Repeat", shape)


@operation
def tile(input: Tensor, dims: Sequence[int]) -> Tensor:
    """Return a tensor over and over along its last axes."""
    times = lengths("tile", "dims", dims)
    return repeat(input, (1,) * (input.ndim - len(times)) + times)


@operation
def repeat_interleave(
    input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Return each entry of an axis several times, one after the other."""
    if repeats is None:  # the numbers of times alone
        return repeat_interleave(made(range(len(input)), input.shape, int64), input)
    if isinstance(repeats, bool) or not (
        isinstance(repeats, Tensor) or hasattr(repeats, "__index__")
    ):
        raise bad_call("repeat_interleave", *((repeats,) if dim is None else (repeats, dim)))
    input = reshape(input, (-1,)) if dim is None else input
    axis = axis_of(dim or 0, input.ndim)
    times = _times(repeats, input.shape[axis], axis)
    places = itertools.chain.from_iterable(map(itertools.repeat, range(len(times)), times))
    return along(input, axis, list(places), "IndexSelect")


def _times(repeats: Any, size: int, axis: int) -> Sequence[int]:
    if not isinstance(repeats, Tensor):
        if repeats < 0:
            raise RuntimeError("Repeats must be non-negative")
        return [index(repeats)] * size
    if repeats.dtype.kind != INTEGER:
        raise NotImplementedError(
            f"\"repeat_interleave_cpu\" not implemented for '{class_name(repeats.dtype)}'"
        )
    times = list(values(repeats))
    if repeats.numel() == 1:
        times *= size
    if len(times) != size:
        raise RuntimeError(
            "repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{len(times)} and input.size({axis}) = {size}"
        )
    if min(times, default=0) < 0:
        raise RuntimeError("repeats can not be negative")
    return times


# ---- In another order


@operation
def flip(input: Tensor, dims: Sequence[int]) -> Tensor:
    """Return a tensor with the entries of some axes from the last to the first."""
    axes = [axis_of(axis, input.ndim) for axis in lengths("flip", "dims", dims)]
    for axis in axes:
        if axes.count(axis) > 1:
            raise RuntimeError(f"dim {axis} appears multiple times in the list of dims")
    every = [range(size)[:: -1 if axis in axes else 1] for axis, size in enumerate(input.shape)]
    return at(input, every, "Flip")


@operation
def roll(input: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    """Return a tensor moved along its axes; what leaves at an end comes in at the other."""
    steps, axes = (
        [given] if is_length(given) else lengths("roll", name, () if given is None else given)
        for name, given in (("shifts", shifts), ("dims", dims))
    )
    if not axes and len(steps) == 1:
        return reshape(roll(reshape(input, (-1,)), steps, 0), input.shape)
    if len(steps) != len(axes):
        raise RuntimeError(
            f"shifts and dimensions must align. shifts: {len(steps)}, dims:{len(axes)}"
        )
    every = [list(range(size)) for size in input.shape]
    for step, axis in zip(steps, axes, strict=True):
        places = every[axis_of(axis, input.ndim)]
        cut = -index(step) % max(len(places), 1)
        places[:] = places[cut:] + places[:cut]
    return at(input, every, "Roll")


# ---- Triangles and diagonals


@operation
def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """Return matrices with zeros above a diagonal."""
    cut = integer_argument("tril", "diagonal", 1, diagonal)
    return _triangle(input, "Tril", lambda row, width: (0, row + cut + 1))


@operation
def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """Return matrices with zeros below a diagonal."""
    cut = integer_argument("triu", "diagonal", 1, diagonal)
    return _triangle(input, "Triu", lambda row, width: (row + cut, width))


def _triangle(input: Tensor, name: str, kept: Callable[[int, int], tuple[int, int]]) -> Tensor:
    """Return matrices with zeros in each row but from one column to another."""
    if input.ndim < 2:
        raise RuntimeError(f"{name.lower()}: input tensor must have at least 2 dimensions")
    (height, width), numbers = input.shape[-2:], values(input)
    found: list[Any] = []
    for place in range(prod(input.shape[:-1])):
        start, end = (min(max(each, 0), width) for each in kept(place % height, width))
        end = max(start, end)
        first = place * width
        found += [0] * start
        found += numbers[first + start : first + end]
        found += [0] * (width - end)
    result = made(found, input.shape, input.dtype)
    return record(result, name, (input, lambda gradient: _triangle(gradient, name, kept)))


@operation
def tril_indices(
    row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """Return rows and columns of the entries of a matrix up to a diagonal."""
    return _where(row, col, lambda i, j: j - i <= offset, dtype)


@operation
def triu_indices(
    row: int, col: int, offset: int = 0, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """Return rows and columns of the entries of a matrix from a diagonal on."""
    return _where(row, col, lambda i, j: j - i >= offset, dtype)


def _where(height: int, width: int, kept: Callable[[int, int], bool], kind: Any) -> Tensor:
    for name, size in (("row", height), ("col", width)):
        if size < 0:
            raise RuntimeError(f"{name} must be non-negative, got{size}")
    pairs = [(i, j) for i in range(height) for j in range(width) if kept(i, j)]
    numbers = [i for i, _j in pairs] + [j for _i, j in pairs]
    return made(numbers, (2, len(pairs)), dtype_argument("tril_indices", kind, int64))


@operation
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """Return the diagonal of a matrix, or the matrix with a vector as its diagonal."""
    if input.ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.ndim}D")
    return diag_embed(input, diagonal) if input.ndim == 1 else _diagonal_copied(input, diagonal)


def _diagonal_copied(input: Tensor, offset: int) -> Tensor:
    return diagonal(input, offset).clone()


@operation
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Return matrices with vectors as their diagonals, along two new axes."""
    a, b = axis_of(dim1, input.ndim + 1), axis_of(dim2, input.ndim + 1)
    if a == b:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    *before, length = input.shape
    side = length + abs(offset)
    start = max(-offset, 0) * side + max(offset, 0)
    places = [
        each * side * side + start + place * (side + 1)
        for each in range(prod(before))
        for place in range(length)
    ]
    return movedim(spread(input, places, Size((*before, side, side))), (-2, -1), (a, b))


@operation
def trace(input: Tensor) -> Tensor:
    """Return the sum of the diagonal of a matrix."""
    if input.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input.ndim}")
    return diagonal(input).sum()


@operation
def block_diag(*tensors: Tensor) -> Tensor:
    """Return a matrix with matrices along its diagonal, and zeros elsewhere."""
    for place, each in enumerate(tensors):
        if each.ndim > 2:
            raise RuntimeError(
                "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input "
                f"{place} has {each.ndim} dimensions"
            )
    blocks = [atleast_2d(each) for each in tensors]
    width, rows, left = sum(each.shape[1] for each in blocks), [], 0
    for each in blocks:
        height, own = each.shape
        right = width - left - own
        beside = [each.new_zeros((height, left)), each, each.new_zeros((height, right))]
        rows.append(cat(beside, 1))
        left += own
    return cat(rows, 0)


# ---- All combinations


@operation
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Return views of vectors, each stretched along an axis of its own."""
    vectors = tensors[0] if len(tensors) == 1 and not isinstance(tensors[0], Tensor) else tensors
    if not vectors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    for each in vectors:
        if each.ndim > 1:
            raise RuntimeError(
                f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {each}"
            )
        if each.dtype is not vectors[0].dtype:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(
            f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}'
        )
    swapped = indexing == "xy" and len(vectors) > 1
    order = [*vectors[:2][::-1], *vectors[2:]] if swapped else list(vectors)
    shape = [each.numel() for each in order]
    grids = [
        expand(reshape(each, [-1 if axis == own else 1 for axis in range(len(shape))]), shape)
        for own, each in enumerate(order)
    ]
    if swapped:
        grids[:2] = grids[1], grids[0]
    return tuple(grids)


@operation
def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Return all combinations of an entry of each vector, a row each."""
    for each in tensors:
        if each.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(each.shape)}")
    if len(tensors) == 1:
        return tensors[0]
    return stack([reshape(each, (-1,)) for each in meshgrid(*tensors, indexing="ij")], 1)


FUNCTIONS = (
    "tile repeat_interleave flip roll tril triu tril_indices triu_indices diag diag_embed trace "
    "block_diag meshgrid cartesian_prod"
)
METHODS = "repeat_interleave roll tril triu diag diag_embed trace"
SPELLED_OUT = "repeat tile flip"
IN_PLACE = "tril triu"
