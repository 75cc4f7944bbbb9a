"""Numbers in order, the largest few, the different ones, and how many of each there are."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import chain, groupby
from math import isnan
from operator import index
from typing import Any

from smalltorch import dtypes, return_types
from smalltorch.arguments import bad_call
from smalltorch.dtypes import class_name
from smalltorch.geometry import axis_of
from smalltorch.lines import flag, lines, selected
from smalltorch.ordering import best, order_of
from smalltorch.overrides import operation
from smalltorch.tensor import Tensor, holding, made, values

FUNCTIONS = """sort argsort topk unique bincount searchsorted
               bucketize"""
METHODS = "sort argsort topk unique bincount"
# ---- Order


@operation
def sort(
    input: Tensor,
    _dim: Any = None,
    _descending: Any = None,
    *,
    dim: int = -1,
    descending: bool = False,
    stable: bool | None = None,
) -> Any:
    """Return the numbers along an axis in order, and where they were."""
    if _dim is not None:
        if stable is not None:  # torch has no such form
            raise bad_call("sort", _dim)
        dim, descending = _dim, descending if _descending is None else _descending
    axis = axis_of(dim, input.ndim)
    if input.dtype.is_complex:
        raise RuntimeError(" Sort does not support complex dtypes on CPU")
    down, kept = flag("descending", descending), flag("stable", bool(stable))
    along = lines(input, (axis,)[: input.ndim])
    orders = [order_of(line, down, kept) for line in along]
    length = (input.shape or (1,))[axis]
    return return_types.sort(selected(input, axis, orders, length, "Sort"))


@operation
def argsort(input: Tensor, _dim: Any = None, _descending: Any = None, **named: Any) -> Tensor:
    """Return where the numbers along an axis are, in their order."""
    return sort(input.detach(), _dim, _descending, **named).indices


@operation
def topk(input: Tensor, k: Any, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """Return the k largest or smallest numbers along an axis, and where they are."""
    axis, count = axis_of(dim, input.ndim), index(k)
    if not 0 <= count <= (input.shape or (1,))[axis]:
        raise RuntimeError("selected index k out of range")
    if input.dtype is dtypes.bool_:
        raise RuntimeError("topk does not support bool dtypes on CPU")
    flag("largest", largest)
    along = lines(input, (axis,)[: input.ndim])
    places = [best(line, count, largest) for line in along]
    return return_types.topk(selected(input, axis, places, count, "Topk"))


# ---- Different ones


@operation
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Return the different numbers in order, or the different slices along an axis."""
    rows = _rows(input, dim)
    order = order_of(rows, stable=True)
    return _distinct(input, rows, order, dim, return_inverse, return_counts)


def _rows(input: Tensor, dim: int | None) -> Sequence[Any]:
    """Return what is compared: the numbers, or the slices at each place of an axis."""
    if dim is None:
        return values(input)
    axis = axis_of(dim, input.ndim)
    others = tuple(other for other in range(input.ndim) if other != axis)
    return list(map(tuple, lines(input, others)))


def _distinct(
    input: Tensor,
    rows: Sequence[Any],
    order: Sequence[int],
    dim: int | None,
    return_inverse: bool,
    return_counts: bool,
) -> Any:
    runs = [list(run) for _row, run in groupby(order, key=rows.__getitem__)]
    kept = [rows[run[0]] for run in runs]
    if dim is None:
        found = [made(kept, (len(kept),), input.dtype)]
    else:
        axis = axis_of(dim, input.ndim)
        others = (*input.shape[:axis], *input.shape[axis + 1 :])
        stacked = made(chain.from_iterable(kept), (len(kept), *others), input.dtype)
        found = [stacked.movedim(0, axis).contiguous()]
    if return_inverse:
        inverse = array("q", bytes(8 * len(rows)))
        for number, run in enumerate(runs):
            for place in run:
                inverse[place] = number
        found.append(holding(inverse, input.shape if dim is None else (len(rows),), dtypes.int64))
    if return_counts:
        found.append(made(map(len, runs), (len(runs),), dtypes.int64))
    return found[0] if len(found) == 1 else tuple(found)


# ---- Counting


@operation
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Return how often each number from 0 on occurs, or the sum of the weights where it does."""
    if input.dtype.kind != dtypes.INTEGER:
        raise NotImplementedError(
            f"\"bincount_cpu\" not implemented for '{class_name(input.dtype)}'"
        )
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    numbers = values(input)
    if input.ndim != 1 or min(numbers, default=0) < 0:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is not None and weights.shape != input.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    length = max(minlength, max(numbers, default=-1) + 1)
    counts: list[Any] = [0] * length
    if weights is None:
        for number in numbers:
            counts[number] += 1
        return made(counts, (length,), dtypes.int64)
    for number, weight in zip(numbers, values(weights), strict=True):
        counts[number] += weight
    kept = weights.dtype in (dtypes.float32, dtypes.float64)
    return made(counts, (length,), weights.dtype if kept else dtypes.float64)


# ---- Searching


@operation
def searchsorted(
    sorted_sequence: Tensor,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
) -> Tensor:
    """Return where numbers belong in a sorted row, or each row of numbers in its own."""
    if side not in (None, "left", "right"):
        raise RuntimeError(
            f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}"
        )
    if side == "left" and right:
        raise RuntimeError(
            "torch.searchsorted(): side and right can't be set to opposites, got side of left "
            "while right was True"
        )
    kind = dtypes.int32 if out_int32 else dtypes.int64
    find = bisect_right if right or side == "right" else bisect_left
    shape = input.shape if isinstance(input, Tensor) else ()
    numbers = values(input) if isinstance(input, Tensor) else (input,)
    if sorted_sequence.ndim == 1:
        return made(_found(find, values(sorted_sequence), numbers), shape, kind)
    if sorted_sequence.shape[:-1] != shape[:-1]:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 "
            "dimensions of boundaries tensor and input value tensor must match, but we got "
            f"boundaries tensor {list(sorted_sequence.shape)} and input value tensor {list(shape)}"
        )
    last = (len(shape) - 1,)
    pairs = zip(lines(sorted_sequence, last), lines(input, last), strict=True)
    found = chain.from_iterable(_found(find, row, wanted) for row, wanted in pairs)
    return made(found, shape, kind)


@operation
def bucketize(
    input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False
) -> Tensor:
    """Return between which boundaries numbers lie."""
    if not isinstance(boundaries, Tensor):
        raise bad_call("bucketize", input, boundaries)
    if boundaries.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


def _found(find: Any, row: Sequence[Any], numbers: Sequence[Any]) -> list[int]:
    return [len(row) if isnan(number) else find(row, number) for number in numbers]
