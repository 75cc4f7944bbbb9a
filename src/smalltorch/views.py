"""Views: other shapes of the same numbers, and other orders of their axes."""

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any

from smalltorch.arguments import bad_call, integer_argument, is_length, kind_name, lengths
from smalltorch.autograd import record, view_of
from smalltorch.dtypes import dtype
from smalltorch.geometry import Shape, Size, axes_of, axis_of, contiguous_strides
from smalltorch.overrides import operation
from smalltorch.refusal import not_here
from smalltorch.tensor import Tensor, made, values

# ---- Another shape


@operation
def view(input: Tensor, size: Sequence[int]) -> Tensor:
    """Return the same numbers in another shape; -1 stands for the length that is left over."""
    if isinstance(size, dtype):
        raise not_here("Tensor.view(dtype)")
    if not isinstance(size, (tuple, list)):
        raise bad_call("view", size)
    shape = completed(lengths("view", "size", size), input.numel())
    strides = view_strides(input.shape, input._strides, shape)
    if strides is None:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one "
            "dimension spans across two contiguous subspaces). Use .reshape(...) instead."
        )
    return _viewed(input, shape, strides)


@operation
def reshape(input: Tensor, shape: Sequence[int]) -> Tensor:
    """Return the numbers in another shape: a view where that can be had, a copy elsewhere."""
    new = completed(lengths("reshape", "shape", shape), input.numel())
    strides = view_strides(input.shape, input._strides, new)
    if strides is not None:
        return _viewed(input, new, strides)
    old, copy = input.shape, made(values(input), new, input.dtype)
    return record(copy, "UnsafeView", (input, lambda gradient: reshape(gradient, old)))


def _viewed(tensor: Tensor, shape: Shape, strides: Shape) -> Tensor:
    old = tensor.shape
    return view_of(
        tensor, shape, strides, tensor._offset, "View", lambda gradient: reshape(gradient, old)
    )


@operation
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """Return a view in the shape of another tensor."""
    return view(input, other.shape)


@operation
def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """Return the numbers in the shape of another tensor."""
    return reshape(input, other.shape)


@operation
def ravel(input: Tensor) -> Tensor:
    """Return all numbers along one axis."""
    return reshape(input, (-1,))


@operation
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Return the numbers with the axes from one to another made into one."""
    for name, axis in (("start_dim", start_dim), ("end_dim", end_dim)):
        if not is_length(axis):
            raise TypeError(f"flatten(): argument '{name}' must be int, not {kind_name(axis)}")
    first, last = axis_of(start_dim, input.ndim), axis_of(end_dim, input.ndim)
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if not input.shape:
        return reshape(input, (1,))
    if first == last:
        return input
    shape = input.shape
    return reshape(input, (*shape[:first], prod(shape[first : last + 1]), *shape[last + 1 :]))


@operation
def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """Return a view in which one axis is taken apart into several."""
    if not isinstance(sizes, (tuple, list)):
        raise TypeError(
            "unflatten(): argument 'sizes' (position 2) must be tuple of ints, not "
            f"{kind_name(sizes)}"
        )
    axis = axis_of(dim, input.ndim)
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    length = input.shape[axis]
    try:
        parts = completed(sizes, length)
    except RuntimeError:
        if list(sizes).count(-1) > 1:
            raise RuntimeError("unflatten got an unexpected error:") from None
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {axis} "
            f"({length}) in the input tensor"
        ) from None
    return view(input, (*input.shape[:axis], *parts, *input.shape[axis + 1 :]))


@lru_cache(8192)
def view_strides(shape: Shape, strides: Shape, new: Shape) -> Shape | None:
    """Return the strides by which numbers are read in another shape; None where that needs a copy.

    Axes that lie evenly in each other form a run. The new axes must fill the runs one after the
    other, from the last to the first.
    """
    if 0 in shape:
        return contiguous_strides(new)
    found: list[int] = []
    left = list(new)
    for length, step in _runs(shape, strides):
        filled = 1
        while left and (filled < length or left[-1] == 1):
            found.append(filled * step)
            filled *= left.pop()
        if filled != length:
            return None
    return tuple(reversed(found)) if not left else None


def _runs(shape: Shape, strides: Shape) -> list[tuple[int, int]]:
    """Return length and step of each run of axes, the last run first."""
    runs: list[tuple[int, int]] = []
    for size, step in zip(reversed(shape), reversed(strides), strict=True):
        if runs and (size == 1 or step == runs[-1][0] * runs[-1][1]):
            runs[-1] = runs[-1][0] * size, runs[-1][1]
        else:
            runs.append((size, step))
    return runs or [(1, 1)]


def completed(shape: Sequence[int], count: int) -> Size:
    """Return a shape with the length that -1 stands for.

    Raises:
        RuntimeError: so many numbers do not have such a shape.
    """
    given, known = list(shape), prod(size for size in shape if size != -1)
    if given.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    for place, size in enumerate(given):
        if size < -1:
            raise RuntimeError(f"invalid shape dimension {size} at index {place} of shape {given}")
    if -1 in given and not known and not count:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {given} because the unspecified "
            "dimension size -1 can be any value and is ambiguous"
        )
    if count % known if -1 in given and known else count != known:
        raise RuntimeError(f"shape '{given}' is invalid for input of size {count}")
    return Size(count // known if size == -1 else size for size in given)


# ---- Axes in another order


@operation
def permute(input: Tensor, dims: Sequence[int]) -> Tensor:
    """Return a view with the axes in another order."""
    axes = lengths("permute", "dims", dims)
    if len(axes) != input.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the "
            f"length of the desired ordering of dimensions i.e. input.dim() = {input.ndim} is not "
            f"equal to len(dims) = {len(axes)}"
        )
    order = [axis_of(axis, input.ndim) for axis in axes]
    if len(set(order)) < len(order):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return _in_order(input, order, "Permute")


def _in_order(tensor: Tensor, order: Sequence[int], name: str) -> Tensor:
    back = sorted(range(len(order)), key=order.__getitem__)
    return view_of(
        tensor,
        [tensor.shape[axis] for axis in order],
        [tensor._strides[axis] for axis in order],
        tensor._offset,
        name,
        lambda gradient: permute(gradient, back),
    )


@operation
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Return a view with two axes exchanged."""
    a, b = (
        axis_of(integer_argument("transpose", name, place, axis), input.ndim)
        for place, (name, axis) in enumerate((("dim0", dim0), ("dim1", dim1)), start=1)
    )
    order = list(range(input.ndim))
    if order:
        order[a], order[b] = b, a
    return _in_order(input, order, "Transpose")


swapaxes = swapdims = transpose


@operation
def t(input: Tensor) -> Tensor:
    """Return a matrix transposed; a vector as it is."""
    if input.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return _in_order(input, range(input.ndim)[::-1], "T")


def _all_reversed(tensor: Tensor) -> Tensor:
    return _in_order(tensor, range(tensor.ndim)[::-1], "Permute")


def _matrices_transposed(tensor: Tensor) -> Tensor:
    if tensor.ndim < 2:
        raise RuntimeError(
            "tensor.mT is only supported on matrices or batches of matrices. Got "
            f"{tensor.ndim}-D tensor."
        )
    return transpose(tensor, -2, -1)


@operation
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Return a view with axes moved to other places; the others keep their order."""
    given = [
        list(axes) if isinstance(axes, (tuple, list)) else [axes] for axes in (source, destination)
    ]
    if len(given[0]) != len(given[1]):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({given[0]} dims) should contain "
            f"the same number of dims as destination ({given[1]} dims)"
        )
    found = [[axis_of(axis, input.ndim) for axis in axes] for axes in given]
    for name, axes, kept in zip(("source", "destination"), found, given, strict=True):
        if len(set(axes)) < len(axes):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({kept})")
    order = [axis for axis in range(input.ndim) if axis not in found[0]]
    for place, axis in sorted(zip(found[1], found[0], strict=True)):
        order.insert(place, axis)
    return _in_order(input, order, "Permute")


moveaxis = movedim

# ---- Axes of length one


@operation
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """Return a view with an axis of length one more."""
    axis = axis_of(integer_argument("unsqueeze", "dim", 1, dim), input.ndim + 1)
    shape, strides = list(input.shape), list(input._strides)
    strides.insert(axis, shape[axis] * strides[axis] if axis < len(shape) else 1)
    shape.insert(axis, 1)
    return view_of(
        input, shape, strides, input._offset, "Unsqueeze", lambda gradient: squeeze(gradient, axis)
    )


@operation
def squeeze(input: Tensor, dim: Any = ()) -> Tensor:
    """Return a view without the axes of length one; or without those that are named and have it."""
    if not is_length(dim) and not isinstance(dim, (tuple, list)):
        raise bad_call("squeeze", dim)
    chosen = axes_of(dim, input.ndim)
    kept = [axis for axis, size in enumerate(input.shape) if size != 1 or axis not in chosen]
    old = input.shape
    return view_of(
        input,
        [input.shape[axis] for axis in kept],
        [input._strides[axis] for axis in kept],
        input._offset,
        "Squeeze",
        lambda gradient: reshape(gradient, old),
    )


@operation
def atleast_2d(*tensors: Any) -> Any:
    """Return tensors with axes of length one in front, up to two axes."""
    return _each(tensors, lambda each: each if each.ndim > 1 else reshape(each, (1, -1)))


@operation
def atleast_1d(*tensors: Any) -> Any:
    """Return tensors, those without axes with one."""
    return _each(tensors, lambda each: each if each.ndim else reshape(each, (1,)))


def _each(tensors: Sequence[Any], change: Any) -> Any:
    if len(tensors) == 1 and isinstance(tensors[0], Tensor):
        return change(tensors[0])
    several = tensors[0] if len(tensors) == 1 else tensors
    return tuple(map(change, several))


FUNCTIONS = (
    "reshape ravel flatten unflatten permute transpose swapaxes swapdims t movedim moveaxis "
    "unsqueeze squeeze atleast_1d atleast_2d"
)
METHODS = (
    "view_as reshape_as ravel flatten unflatten transpose swapaxes swapdims t movedim moveaxis "
    "unsqueeze"
)
SPELLED_OUT = "view reshape permute squeeze"
PROPERTIES = {"T": _all_reversed, "mT": _matrices_transposed}
