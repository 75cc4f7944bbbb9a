"""Choosing between numbers, entry by entry: by a condition, or the larger one."""

import math
import operator
from collections.abc import Callable, Iterable
from typing import Any

from smalltorch import dtypes
from smalltorch.arguments import bad_call
from smalltorch.autograd import record
from smalltorch.dtypes import bool_, c_name, class_name, dtype, finfo, iinfo
from smalltorch.overrides import operation
from smalltorch.pointwise import (
    NUMBER,
    OPERAND,
    kind_of_number,
    looped,
    not_implemented,
    result_type,
)
from smalltorch.tensor import Tensor

Numbers = Iterable[Any]


# ---- By a condition


@operation
def where(condition: Any, input: Any = None, other: Any = None) -> Any:
    """Return the input where the condition holds, else the other; of a condition alone, where."""
    if input is None and other is None and isinstance(condition, Tensor):
        return condition.nonzero(as_tuple=True)
    fits = isinstance(condition, Tensor) and all(
        isinstance(each, OPERAND) for each in (input, other)
    )
    if not fits:
        raise bad_call("where", condition, *(each for each in (input, other) if each is not None))
    if condition.dtype not in (bool_, dtypes.uint8):
        raise RuntimeError(
            "where expected condition to be a boolean tensor, but got a tensor with dtype "
            f"{class_name(condition.dtype)}"
        )
    for each in (input, other):
        if not isinstance(each, Tensor):
            fitting(kind_of_number(each), each)
    kind = result_type(input, other)
    chosen = condition if condition.dtype is bool_ else condition != 0
    result = looped(_chosen, chosen, other, input, kind=kind)
    return record(
        result,
        "Where",
        (input, lambda g, c: g.masked_fill(~c, 0), chosen),
        (other, lambda g, c: g.masked_fill(c, 0), chosen),
    )


def _chosen(conditions: Iterable[int], others: Numbers, inputs: Numbers) -> Numbers:
    choices = zip(conditions, others, inputs, strict=False)
    return [x if condition else y for condition, y, x in choices]


def _where(input: Tensor, condition: Any, other: Any) -> Any:
    return where(condition, input, other)


@operation
def masked_fill(input: Tensor, mask: Any, value: Any) -> Tensor:
    """Return the input with a value where the mask holds."""
    if not isinstance(mask, Tensor) or not isinstance(value, OPERAND):
        raise bad_call("masked_fill", mask, value)
    if mask.dtype is not bool_:
        raise RuntimeError(
            "masked_fill_ only supports boolean masks, but got mask with dtype "
            f"{c_name(mask.dtype)}"
        )
    number = value
    if isinstance(value, Tensor):
        if value.shape:
            raise RuntimeError(
                "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                f"{value.ndim} dimension(s)."
            )
        number = value.item()
    kind = input.dtype
    number = fitting(kind, number)
    result = looped(_chosen, mask.contiguous(), input.contiguous(), number, kind=kind)
    return record(
        result,
        "MaskedFill",
        (input, lambda g, m: g.masked_fill(m, 0), mask),
        (value, lambda g, m: g.masked_fill(~m, 0).sum(), mask),
    )


def fitting(kind: dtype, number: Any) -> Any:
    """Return a number that a dtype holds, rounded: 1.5 is 1 among integers.

    Raises:
        RuntimeError: it is too large, or infinite where no number is.
    """
    if kind.kind == dtypes.BOOL:
        return bool(number)
    kind_of_number(number)
    if kind.kind == dtypes.INTEGER:
        limits, name = iinfo(kind), "int64_t" if kind is dtypes.int64 else c_name(kind)
        fits = math.isfinite(number) and limits.min <= number <= limits.max
    elif kind.kind == dtypes.FLOAT:
        name = c_name(kind)
        fits = not isinstance(number, complex) and (
            not math.isfinite(number) or abs(number) <= finfo(kind).max
        )
    else:
        return number
    if not fits:
        raise RuntimeError(f"value cannot be converted to type {name} without overflow")
    return int(number) if kind.kind == dtypes.INTEGER else number


# ---- The larger and the smaller one


def _larger(xs: Numbers, ys: Numbers) -> Numbers:
    return [x if x >= y or x != x else y for x, y in zip(xs, ys, strict=False)]


def _smaller(xs: Numbers, ys: Numbers) -> Numbers:
    return [x if x <= y or x != x else y for x, y in zip(xs, ys, strict=False)]


@operation
def maximum(input: Tensor, other: Tensor) -> Tensor:
    """Return the larger of each two numbers."""
    return _extreme("maximum", _larger, input, other, operator.lt)


@operation
def minimum(input: Tensor, other: Tensor) -> Tensor:
    """Return the smaller of each two numbers."""
    return _extreme("minimum", _smaller, input, other, operator.gt)


def _extreme(
    name: str, loop: Any, input: Tensor, other: Tensor, loses: Callable[[Any, Any], Tensor]
) -> Tensor:
    kind = result_type(input, other)
    if kind.is_complex:
        raise RuntimeError(f"{name} not implemented for complex tensors.")

    def rule(g: Tensor, mine: Tensor, its: Tensor) -> Any:
        shared = where(mine == its, g / 2, g)  # of two equal numbers each gets half
        return shared.masked_fill(loses(mine, its), 0)

    result = looped(loop, input, other, kind=kind)
    ways = (input, rule, input, other), (other, rule, other, input)
    return record(result, name.capitalize(), *ways)


@operation
def clamp(input: Any, min: Any = None, max: Any = None) -> Tensor:
    """Return the numbers, those below `min` and above `max` replaced by these."""
    bounds = [each for each in (min, max) if each is not None]
    if not isinstance(input, Tensor) or not _alike(bounds):
        raise bad_call("clamp", input, *(each for each in (min, max) if each is not None))
    if not bounds:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    kind = result_type(input, *bounds)
    if kind.kind == dtypes.BOOL:
        raise not_implemented("clamp_scalar_cpu", kind)

    def bounded(xs: Numbers, *limits: Numbers) -> Numbers:
        rest = iter(limits)
        if min is not None:
            xs = _larger(xs, next(rest))
        return xs if max is None else _smaller(xs, next(rest))

    result = looped(bounded, input, *bounds, kind=kind)
    return record(
        result,
        "Clamp",
        (input, _kept_inside, input, min, max),
        (min, _at_min, input, min, max),
        (max, _at_max, input, min, max),
    )


def _alike(bounds: list[Any]) -> bool:
    """Say whether bounds are all tensors, or all numbers."""
    return any(all(isinstance(each, kind) for each in bounds) for kind in (Tensor, NUMBER))


def _kept_inside(g: Tensor, x: Tensor, low: Any, high: Any) -> Any:
    if low is not None:
        g = g.masked_fill(~(x >= low), 0)
    return g if high is None else g.masked_fill(~(x <= high), 0)


def _at_min(g: Tensor, x: Tensor, low: Tensor, high: Any) -> Any:
    mine = x < low
    return g.masked_fill(~(mine if high is None else mine & (low < high)), 0)


def _at_max(g: Tensor, x: Tensor, low: Any, high: Tensor) -> Any:
    mine = x > high
    return g.masked_fill(~(mine if low is None else mine | (high < low)), 0)


@operation
def clamp_min(input: Tensor, min: Any) -> Tensor:
    """Return the numbers, those below `min` replaced by it."""
    return clamp(input, min=min)


@operation
def clamp_max(input: Tensor, max: Any) -> Tensor:
    """Return the numbers, those above `max` replaced by it."""
    return clamp(input, max=max)


clip = clamp


# ---- Other choices


@operation
def nan_to_num(
    input: Tensor,
    nan: float | None = None,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Tensor:
    """Return numbers in place of nan and of infinities."""
    kind = input.dtype
    if kind.kind < dtypes.FLOAT:
        return input.clone()
    largest = finfo(kind).max
    instead = {
        math.inf: largest if posinf is None else posinf,
        -math.inf: -largest if neginf is None else neginf,
    }
    of_nan = 0.0 if nan is None else nan

    def numbers(xs: Iterable[float]) -> list[float]:
        return [instead.get(x, x) if x == x else of_nan for x in xs]

    result = looped(numbers, input, kind=kind)
    return record(result, "NanToNum", (input, lambda g, x: g.masked_fill(~x.isfinite(), 0), input))


IN_PLACE = "masked_fill clamp clip clamp_min clamp_max nan_to_num"
METHODS = f"{IN_PLACE} maximum minimum "
FUNCTIONS = f"{METHODS} where"
OPERATORS = {"where": _where}
