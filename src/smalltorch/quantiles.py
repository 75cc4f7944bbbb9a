"""What lies in the middle of the numbers of a line, at any share of them, or most often."""

import math
from collections.abc import Callable, Sequence
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

from smalltorch import dtypes
from smalltorch.autograd import record
from smalltorch.dtypes import class_name
from smalltorch.extremes import picked, refuse_empty
from smalltorch.geometry import axes_of, axis_of
from smalltorch.lines import ALL, lines, reduced_shape, selected
from smalltorch.ordering import order_of
from smalltorch.overrides import operation
from smalltorch.tensor import Tensor, made, values

FUNCTIONS = METHODS = "median nanmedian kthvalue mode quantile nanquantile"


@operation
def median(input: Tensor, dim: Any = ALL, keepdim: bool = False) -> Any:
    """Return the number in the middle, the lower of two; along an axis, with its place."""
    return _middle("median", input, dim, keepdim)


@operation
def nanmedian(input: Tensor, dim: Any = ALL, keepdim: bool = False) -> Any:
    """Return the number in the middle of those that are not nan."""
    return _middle("nanmedian", input, dim, keepdim)


@operation
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """Return the k-th smallest number along an axis, and a place of it."""
    axis = axis_of(dim, input.ndim)
    _refuse_bool("kthvalue", input)
    refuse_empty("kthvalue", input, (axis,))
    if not 1 <= k <= (input.shape or (1,))[axis]:
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {axis}")
    found = [order_of(line, stable=True)[k - 1] for line in lines(input, (axis,)[: input.ndim])]
    return picked("kthvalue", input, axis, found, keepdim)


@operation
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    """Return the most frequent number along an axis, the smallest of several, and its place."""
    axis = axis_of(dim, input.ndim)
    refuse_empty("mode", input, (axis,))
    found = list(map(_most_frequent, lines(input, (axis,)[: input.ndim])))
    return picked("mode", input, axis, found, keepdim)


@operation
def quantile(
    input: Tensor, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Any:
    """Return the number below which a share q of the numbers lies."""
    return _quantile("quantile", input, q, dim, keepdim, interpolation)


@operation
def nanquantile(
    input: Tensor, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Any:
    """Return the number below which a share q of those that are not nan lies."""
    return _quantile("nanquantile", input, q, dim, keepdim, interpolation)


def _middle(name: str, input: Tensor, dim: Any, keepdim: Any) -> Any:
    _refuse_bool("median", input)
    if dim is not ALL:
        axis = axis_of(dim, input.ndim)
        refuse_empty(name, input, (axis,))
        found = [_middle_place(name, line) for line in lines(input, (axis,)[: input.ndim])]
        return picked(name, input, axis, found, keepdim)
    if keepdim is not False:
        raise TypeError(f'{name}() missing 1 required positional arguments: "dim"')
    numbers = values(input)
    number = numbers[_middle_place(name, numbers)] if len(numbers) else math.nan
    result = made((number,), (), input.dtype)

    def rule(gradient: Tensor, input: Any, result: Any) -> Any:
        chosen = (input == result) | (input.isnan() & result.isnan())
        return gradient * chosen / chosen.sum()

    return record(result, name.capitalize(), (input, rule, input, result))


def _middle_place(name: str, line: Sequence[Any]) -> int:
    unordered = [place for place, number in enumerate(line) if number != number]
    if unordered and name == "median":
        return unordered[0]
    return order_of(line, stable=True)[max(len(line) - len(unordered) - 1, 0) // 2]


def _refuse_bool(name: str, input: Tensor) -> None:
    if input.dtype is dtypes.bool_:
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{class_name(input.dtype)}'")


def _most_frequent(line: Sequence[Any]) -> int:
    runs = [list(run) for _number, run in groupby(order_of(line), key=line.__getitem__)]
    return max(runs, key=len)[-1]


_ROUNDED: dict[str, Callable[[float], int]] = {
    "lower": math.floor,
    "higher": math.ceil,
    "nearest": round,
}


def _quantile(name: str, input: Any, q: Any, dim: Any, keepdim: Any, interpolation: str) -> Any:
    if input.dtype not in (dtypes.float32, dtypes.float64):
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
    shares = values(q) if isinstance(q, Tensor) else [float(q)]
    if not all(0 <= share <= 1 for share in shares):
        which = "values must be in the range [0, 1]"
        which = which if isinstance(q, Tensor) else f"must be in the range [0, 1] but got {q}"
        raise RuntimeError(f"{name}() q {which}")
    axes = axes_of(dim, input.ndim)
    flat, axis = (input.reshape(-1), 0) if dim is None else (input, axis_of(dim, input.ndim))
    spots = [
        [_spot(name, line, share, interpolation) for share in shares]
        for line in lines(flat, (axis,)[: flat.ndim])
    ]
    low, high, weight = ([list(map(itemgetter(part), line)) for line in spots] for part in range(3))
    below, _places = selected(flat, axis, low, len(shares), "Quantile")
    above, _places = selected(flat, axis, high, len(shares), "Quantile")
    between = made(chain.from_iterable(weight), (len(spots), len(shares)), input.dtype)
    shape = reduced_shape(input.shape, axes, keepdim)
    below, above = (each.movedim(axis, -1).reshape(between.shape) for each in (below, above))
    found = below.lerp(above, between).T.reshape(len(shares), *shape)
    return found if isinstance(q, Tensor) and q.shape else found[0]


def _spot(
    name: str, line: Sequence[Any], share: float, interpolation: str
) -> tuple[int, int, float]:
    """Return the places of two neighbours in order, and how far from the first to the second."""
    order = order_of(line)
    count = sum(number == number for number in line)
    if count < len(line) and name == "quantile":
        return order[-1], order[-1], 0.0  # it is nan
    rank = share * max(count - 1, 0)
    if interpolation in _ROUNDED:
        rank = _ROUNDED[interpolation](rank)
    low, high = math.floor(rank), math.ceil(rank)
    return order[low], order[high], 0.5 if interpolation == "midpoint" else rank - low
