"""Writing to a tensor: the numbers, how often it was written to, and its history from then on.

A function with a form that writes, `exp` and `exp_`, computes as ever; the result is written over
its first argument, which goes on with the history of the result. What the way back needs of that
argument is kept as a copy, made before. Of other tensors nothing is copied: a later write to them
is found by their version.

A view and its base share a storage. A write to the view gives the base a new history, of which the
views learn when they are used next (`autograd`).
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from smalltorch.autograd import _edge_or_none, asks, record, refuse_write, wants_history
from smalltorch.dtypes import FLOAT, class_name, packed
from smalltorch.gathering import cleared, places_in, take
from smalltorch.geometry import Shape, broadcast_shape, is_dense, positions
from smalltorch.grad_mode import Recording
from smalltorch.overrides import operation
from smalltorch.tensor import Tensor, made, values, values_as

# They write one number: torch lets them, even where several entries share a place.
_LENIENT = "fill_ zero_ masked_fill_ tril_ triu_".split()
# They write in any order: what they read may not even be the same numbers, entry for entry.
_APART = "scatter_ scatter_add_ index_add_".split()


def in_place(function: Callable[..., Tensor], name: str) -> Callable[..., Tensor]:
    """Return the form of a function that writes its result to its first argument: `add_`.

    Raises:
        RuntimeError: as of `overwrite`; or entries share a place.
    """

    @wraps(function)
    def call(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        others = (*args, *kwargs.values())
        refuse_protected(input, *others)
        if name not in _LENIENT and name not in _APART:
            refuse_overlap(input, *others)
        before = _copy(input) if wants_history(input, *others) else input
        result = function(before, *args, **kwargs)
        if name in _APART:
            refuse_overlap(input, *others, apart=True)
        return overwrite(input, result)

    call.__name__ = call.__qualname__ = name
    return operation(call)


def overwrite(target: Tensor, new: Tensor) -> Tensor:
    """Put the numbers of a tensor in place of another one's, which goes on with its history.

    Raises:
        RuntimeError: as of `refuse_protected`; or the target cannot hold such numbers, or as many.
    """
    refuse_protected(target, new)
    if new.dtype.kind > target.dtype.kind:
        raise RuntimeError(
            f"result type {class_name(new.dtype)} can't be cast to the desired output type "
            f"{class_name(target.dtype)}"
        )
    if new.shape != target.shape:
        raise _misfit(target, new.shape)
    recorded = target.dtype.kind >= FLOAT and wants_history(target, new)
    if recorded and (new.dtype is not target.dtype or not _is_computed(new)):
        new = copied(_copy(target), new)
    _store(target, new)
    if recorded:
        _go_on(target, new)
    return target


def copied(input: Tensor, source: Tensor) -> Tensor:
    """Return the numbers of a tensor, stretched, in the shape and the dtype of the first one."""
    if broadcast_shape(input.shape, source.shape) != input.shape:
        raise _misfit(input, broadcast_shape(input.shape, source.shape))
    if source.dtype is not input.dtype:
        source = source.to(input.dtype)
    result = made(values_as(source, input.shape), input.shape, input.dtype)
    return record(
        result,
        "Copy",
        (input, lambda gradient: gradient.new_zeros(gradient.shape)),
        (source, lambda gradient: gradient),
    )


def _misfit(target: Tensor, shape: Shape) -> RuntimeError:
    return RuntimeError(
        f"output with shape {list(target.shape)} doesn't match the broadcast shape {list(shape)}"
    )


def refuse_protected(target: Tensor, *others: Any) -> None:
    """Refuse to write to a leaf that asks for a gradient: nobody could tell whose it is.

    Raises:
        RuntimeError: the target is such a leaf, or a view of one; or a view made where no history
            was recorded, or as one of several.
    """
    if target.storage.is_inference and not Recording.inference:
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed.You can make "
            "a clone to get a normal tensor before doing inplace update.See "
            "https://github.com/pytorch/rfcs/pull/17 for more details."
        )
    if not wants_history(target, *others):
        return
    base = target._base
    if base is not None:
        if target._made:
            refuse_write(target, "is being")
        if asks(target) and base._node is None:
            raise RuntimeError(f"a view of {_LEAF}")
    if asks(target) and target._node is None:  # or a view that does not know of its base's yet
        raise RuntimeError(_LEAF)
    for each in filter(asks, others):
        _edge_or_none(each)  # of a view that may not be used any more this is refused first


_LEAF = "a leaf Variable that requires grad is being used in an in-place operation."


def refuse_overlap(target: Tensor, *others: Any, apart: bool = False) -> None:
    """Refuse to write to a place twice, or to one that is still to be read for another entry.

    Args:
        target: what is written to.
        others: what is read.
        apart: whether these may not be the same numbers either, entry for entry.

    Raises:
        RuntimeError: entries of the target share a place, or it and another tensor share some.
    """
    if any(size > 1 and not step for size, step in zip(target.shape, target._strides, strict=True)):
        raise RuntimeError(_SHARED.format("more than one element of", "refers"))
    data = target.storage.data
    for other in others:
        if not isinstance(other, Tensor) or other.storage.data is not data:
            continue
        if _overlap(target, other) and (apart or not _are_same(target, other)):
            raise RuntimeError(_SHARED.format("some elements of the input tensor and", "refer"))


_SHARED = (
    "unsupported operation: {} the written-to tensor {} to a single memory location. Please "
    "clone() the tensor before performing the operation."
)


def _overlap(a: Tensor, b: Tensor) -> bool:
    """Say whether tensors without gaps share numbers of a storage. Torch does not look closer."""
    dense = is_dense(a.shape, a._strides) and is_dense(b.shape, b._strides)
    return dense and a._offset < b._offset + b.numel() and b._offset < a._offset + a.numel()


def _are_same(a: Tensor, b: Tensor) -> bool:
    return (a._offset, a.numel(), a._strides) == (b._offset, b.numel(), b._strides)


def _is_computed(tensor: Tensor) -> bool:
    edge = _edge_or_none(tensor)
    return edge is not None and edge[0].leaf is None


def _copy(tensor: Tensor) -> Tensor:
    """Return the numbers of a tensor as they are now, with its history."""
    copy = made(values(tensor), tensor.shape, tensor.dtype)
    if edge := _edge_or_none(tensor):
        copy._asks, (copy._node, copy._output) = True, edge
    return copy


def _store(target: Tensor, new: Tensor) -> None:
    numbers = packed(target.dtype, list(values(new)))
    data = target.storage.data
    if target.is_contiguous():
        data[target._offset : target._offset + len(numbers)] = numbers
    else:
        places = positions(target.shape, target._strides, target._offset)
        for place, number in zip(places, numbers, strict=True):
            data[place] = number
    target.storage.version += 1


def _go_on(target: Tensor, new: Tensor) -> None:
    """Give a tensor, or what it is a view of, the history of what was written to it."""
    node, base = new._node, target._base
    if node is not None:
        node.keep_own(new, target)
    if base is None:
        target._node, target._output, target._asks = node, new._output, True
        return
    places, shape = places_in(base, target), target.shape
    record(
        base,
        "CopySlices",
        (base, lambda gradient: cleared(gradient, places)),
        (new, lambda gradient: take(gradient, places, shape)),
    )
    _edge_or_none(target)  # it learns of that at once
