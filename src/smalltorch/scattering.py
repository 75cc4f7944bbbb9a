"""Reading and writing where tensors of places say: gather, scatter, index_add, masked_select."""

from itertools import chain, compress, count
from math import prod
from typing import Any

from smalltorch.arguments import bad_call
from smalltorch.arithmetic import add, mul
from smalltorch.autograd import record
from smalltorch.division import remainder
from smalltorch.dtypes import bool_, class_name, int32, int64
from smalltorch.filling import fill
from smalltorch.gathering import replaced, spread
from smalltorch.gathering import take as taken
from smalltorch.geometry import Shape, Size, axis_of, broadcast_shape, contiguous_strides, positions
from smalltorch.grad_mode import no_grad
from smalltorch.indexing import getitem
from smalltorch.overrides import operation
from smalltorch.refusal import not_here
from smalltorch.stretching import expand
from smalltorch.tensor import Tensor, made, values, values_as
from smalltorch.views import reshape

# ---- A place for each entry: gather and scatter


@operation
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """Return for each entry of `index` the entry there along an axis, the other axes as in it."""
    axis = axis_of(dim, input.ndim)
    _check_places("gather", index)
    if max(index.ndim, 1) != max(input.ndim, 1) and index.numel():
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    for other, (n, size) in enumerate(zip(index.shape, input.shape, strict=False)):
        if other != axis and n > size:
            raise RuntimeError(
                f"Size does not match at dimension {other} expected index {list(index.shape)} to "
                f"be no larger than self {list(input.shape)} apart from dimension {axis}"
            )
    return taken(input, _places(input.shape, axis, index), index.shape, "Gather")


@operation
def scatter(
    input: Tensor, dim: int, index: Any, src: Any = None, *, value: Any = None, reduce: Any = None
) -> Tensor:
    """Return a tensor with entries, or one number, written where `gather` would read them."""
    new = src if value is None else value
    if not isinstance(index, Tensor) or not isinstance(new, (Tensor, bool, int, float, complex)):
        raise bad_call("scatter", dim, index, *(() if new is None else (new,)))
    if reduce is not None:
        raise not_here("Tensor.scatter(reduce=…)")
    places, new = _scattered("scatter", input, dim, index, new)
    return replaced(input, places, new, "Scatter")


@operation
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Return a tensor with entries added where `gather` would read them."""
    places, new = _scattered("scatter_add", input, dim, index, src)
    return add(input, spread(new, places, input.shape))


def _scattered(
    name: str, input: Tensor, dim: int, index: Tensor, src: Any
) -> tuple[list[int], Tensor]:
    """Return places and what goes there: of `src` as much as there are places."""
    axis = axis_of(dim, input.ndim)
    _check_places(name, index)
    if not isinstance(src, Tensor):
        src = fill(made((0,), Size(), input.dtype), src)
    elif src.dtype is not input.dtype:
        raise RuntimeError(f"{name}(): Expected self.dtype to be equal to src.dtype")
    elif index.numel() and max(src.ndim, 1) != max(index.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    if index.numel() and max(index.ndim, 1) != max(input.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    own = zip(index.shape, input.shape, strict=False)
    too_large = any(n > size for other, (n, size) in enumerate(own) if other != axis)
    too_few = any(n > size for n, size in zip(index.shape, src.shape, strict=False))
    if too_large or too_few:
        also = f" and to be no larger size than src {list(src.shape)}" if src.shape else ""
        raise RuntimeError(
            f"Expected index {list(index.shape)} to be no larger than self {list(input.shape)} "
            f"apart from dimension {axis}{also}"
        )
    if src.shape and src.shape != index.shape:
        src = getitem(src, tuple(map(slice, index.shape)))
    return _places(input.shape, axis, index), src


def _check_places(name: str, index: Tensor) -> None:
    if index.dtype not in (int32, int64):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")


def _places(shape: Shape, axis: int, index: Tensor) -> list[int]:
    """Return the places in a tensor of this shape: those of `index` along one axis."""
    if not shape:
        shape = (1,)
    strides = contiguous_strides(shape)
    size, step = shape[axis], strides[axis]
    others = tuple(0 if other == axis else each for other, each in enumerate(strides))
    found = values(index)
    if found and not 0 <= min(found) <= max(found) < size:
        wrong = next(place for place in found if not 0 <= place < size)
        raise RuntimeError(f"index {wrong} is out of bounds for dimension {axis} with size {size}")
    starts = positions(index.shape, others[: index.ndim])
    return [start + place * step for start, place in zip(starts, found, strict=True)]


@operation
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """Return `gather` with both stretched to one shape along the other axes."""
    if indices.dtype is not int64:
        raise RuntimeError(
            "torch.take_along_dim(): dtype of indices should be Long but got "
            f"{class_name(indices.dtype)}"
        )
    if dim is None:
        return gather(reshape(input, (-1,)), 0, reshape(indices, (-1,)))
    if input.ndim != indices.ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, "
            f"but got {input.ndim} dimensions for input, and {indices.ndim} dimensions for indices"
        )
    axis = axis_of(dim, input.ndim)

    def with_length(tensor: Tensor, length: int) -> Shape:
        return (*tensor.shape[:axis], length, *tensor.shape[axis + 1 :])

    size = input.shape[axis]
    shape = broadcast_shape(with_length(input, 1), with_length(indices, 1))
    wide = expand(input, (*shape[:axis], size, *shape[axis + 1 :]))
    places = expand(indices, (*shape[:axis], indices.shape[axis], *shape[axis + 1 :]))
    return gather(wide, axis, remainder(places, size))


# ---- Places along one axis: index_select and its like


@operation
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """Return the entries at some places of an axis."""
    axis = axis_of(dim, input.ndim)
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if index.dtype not in (int32, int64):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    size = input.shape[axis] if input.shape else 1
    for place in values(index):
        if not 0 <= place < size:
            if 0 < axis < input.ndim - 1:
                raise RuntimeError(
                    f"INDICES element is out of DATA bounds, id={place} axis_dim={size}"
                )
            raise IndexError("index out of range in self")
    shape = (*input.shape[:axis], index.numel(), *input.shape[axis + 1 :]) if input.shape else ()
    return taken(input, _along(input, axis, index), Size(shape), "IndexSelect")


@operation
def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    """Return a tensor with another one added at some places of an axis."""
    axis = axis_of(dim, input.ndim)
    _check_vector("index_add_", index)
    if index.dtype not in (int32, int64):
        raise RuntimeError(
            f"index_add_(): Expected dtype int32/int64 for index but got: {class_name(index.dtype)}"
        )
    if source.dtype is not input.dtype:
        raise RuntimeError(
            f"index_add_(): self ({class_name(input.dtype)}) and source "
            f"({class_name(source.dtype)}) must have the same scalar type"
        )
    if source.shape and index.numel() != source.shape[axis]:
        raise RuntimeError(
            f"index_add_(): Number of indices ({index.numel()}) should be equal to "
            f"source.size(dim): ({source.shape[axis]}), for dim: {axis}"
        )
    if _without(input.shape, axis) != _without(source.shape, axis) or input.ndim != source.ndim:
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. "
            f"Got self.shape = {list(input.shape)} source.shape = {list(source.shape)}"
        )
    if any(not 0 <= place < input.shape[axis] for place in values(index)):
        raise IndexError("index out of range in self")
    places, shape = _along(input, axis, index), source.shape
    with no_grad():
        result = add(input, spread(mul(source, alpha), places, input.shape))
    return record(
        result,
        "IndexAdd",
        (input, lambda gradient: gradient),
        (source, lambda gradient, _source: mul(taken(gradient, places, shape), alpha), source),
    )


def _check_vector(name: str, index: Tensor) -> None:
    if index.ndim > 1:
        raise IndexError(
            f"{name}(): Index is supposed to be a vector, but got dim: {index.ndim} with type: "
            f"{class_name(index.dtype)} and size: {list(index.shape)}"
        )


def _without(shape: Shape, axis: int) -> Shape:
    return (*shape[:axis], *shape[axis + 1 :])


def _along(tensor: Tensor, axis: int, index: Tensor) -> list[int]:
    """Return the places in a tensor of its slices at some places of an axis."""
    shape = tensor.shape or (1,)
    size, inner = shape[axis], prod(shape[axis + 1 :])
    starts = [place % size * inner for place in values(index)]
    block = size * inner
    return [
        first + start + each
        for first in range(0, prod(shape[:axis]) * block, max(block, 1))
        for start in starts
        for each in range(inner)
    ]


# ---- Places in all of a tensor: take, put, masks


@operation
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """Return the entries where a mask holds, along one axis."""
    if mask.dtype is not bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    shape = broadcast_shape(mask.shape, input.shape)
    places = list(compress(count(), values_as(mask, shape)))
    return taken(expand(input, shape), places, Size((len(places),)), "MaskedSelect")


@operation
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """Return the indices of what is not zero: a row each, or a tensor for each axis."""
    if not isinstance(as_tuple, bool):
        raise TypeError(
            f"nonzero(): argument 'as_tuple' must be bool, not {type(as_tuple).__name__}"
        )
    shape = input.shape if input.shape or not as_tuple else Size((1,))
    found = list(compress(count(), values(input)))
    columns = [
        [place // step % size for place in found]
        for size, step in zip(shape, contiguous_strides(shape), strict=True)
    ]
    if as_tuple:
        return tuple(made(column, (len(found),), int64) for column in columns)
    result = made(chain.from_iterable(columns), (len(found), len(columns)), int64)
    result._strides = (1, max(len(found), 1))  # column by column, as in torch
    return result


@operation
def argwhere(input: Tensor) -> Tensor:
    """Return the indices of what is not zero, a row each."""
    return nonzero(input)


FUNCTIONS = METHODS = (
    "gather scatter scatter_add take_along_dim index_select index_add masked_select nonzero "
    "argwhere"
)
IN_PLACE = "scatter scatter_add index_add"
