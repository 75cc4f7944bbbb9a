"""Quotients, what remains of them, and whole ones, entry by entry."""

import math
import operator
from collections.abc import Callable
from typing import Any

from smalltorch import dtypes
from smalltorch.arithmetic import in_place_operator, kind_of_both, mul, reverse, unchanged, zeros
from smalltorch.autograd import record
from smalltorch.complex_numbers import conjugate
from smalltorch.dtypes import dtype, wide
from smalltorch.overrides import operation
from smalltorch.pointwise import as_operator, float_type, not_implemented, pointwise
from smalltorch.tensor import Tensor


@operation
def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """Return input / other; with a rounding mode, the whole number below it or towards zero."""
    if rounding_mode is not None:
        return _whole_quotient(input, other, rounding_mode)
    kind_of_both("div", input, other)
    kind = float_type(input, other)
    result = pointwise(
        operator.truediv, input, other, kind=wide(kind), result=kind, careful=_quotient
    )
    return record(
        result,
        "Div",
        (input, lambda g, b: g / conjugate(b), other),
        (other, lambda g, a, b: -g * conjugate(a / b / b), input, other),
    )


def _whole_quotient(input: Any, other: Any, rounding_mode: str) -> Tensor:
    if rounding_mode not in ("floor", "trunc"):
        raise RuntimeError(
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
            f"'{rounding_mode}'"
        )
    kind = kind_of_both("div", input, other)
    if rounding_mode == "floor":
        result = _floored(input, other, kind)
    else:
        careful = _by_zero(kind, _careful_cut_quotient)
        result = pointwise(
            _cut_quotient, input, other, kind=wide(kind), result=kind, careful=careful
        )
    return record(result, "Div", (input, zeros), (other, zeros))


@operation
def floor_divide(input: Any, other: Any) -> Tensor:
    """Return the largest whole number below input / other."""
    result = _floored(input, other, kind_of_both("floor_divide", input, other))
    rule = _without_derivative("floor_divide")
    return record(result, "NotImplemented", (input, rule), (other, rule))


def _floored(input: Any, other: Any, kind: dtype) -> Tensor:
    _refuse_others("div_floor_cpu", kind)
    careful = _by_zero(kind, _floored_quotient)
    return pointwise(operator.floordiv, input, other, kind=wide(kind), result=kind, careful=careful)


@operation
def remainder(input: Any, other: Any) -> Tensor:
    """Return input - other * floor(input / other): it has the sign of the divisor."""
    kind = kind_of_both("remainder", input, other)
    _refuse_others("remainder_cpu", kind)
    result = pointwise(operator.mod, input, other, kind=kind, careful=_by_zero(kind, _remainder))
    if not isinstance(input, Tensor):
        return record(result, "NotImplemented", (other, _without_derivative("remainder")))
    by_other = (other, lambda g, a, b: -g * div(a, b, rounding_mode="floor"), input, other)
    return record(result, "Remainder", (input, unchanged), by_other)


@operation
def reciprocal(input: Tensor) -> Tensor:
    """Return 1 / input."""
    kind = float_type(input)
    result = pointwise(operator.truediv, 1, input, kind=kind, careful=_quotient)
    return record(result, "Reciprocal", (input, lambda g, y: -g * conjugate(y * y), result))


true_divide = divide = div


@operation
def _divided_into(input: Tensor, other: Any) -> Tensor:
    return mul(reciprocal(input), other)  # as torch does it, which rounds twice


# ---- One number at a time, where Python's own operators raise or say something else


def _quotient(x: Any, y: Any) -> Any:
    if y:
        return x / y
    if isinstance(x, complex) or isinstance(y, complex):
        return complex(math.nan, math.nan)
    return math.copysign(math.inf, x) * math.copysign(1, y) if x and x == x else math.nan


def _floored_quotient(x: float, y: float) -> Any:
    return x // y if y else _quotient(x, y)


def _cut_quotient(x: float, y: float) -> Any:
    return math.trunc(x / y)


def _careful_cut_quotient(x: float, y: float) -> Any:
    quotient = _quotient(x, y)
    return math.trunc(quotient) if math.isfinite(quotient) else quotient


def _remainder(x: float, y: float) -> float:
    return x % y if y else math.nan


def _by_zero(kind: dtype, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what is done where a divisor is zero: of integers torch refuses it."""

    def refuse(x: int, y: int) -> int:
        raise RuntimeError("ZeroDivisionError")

    return refuse if kind.kind < dtypes.FLOAT else function


def _refuse_others(loop: str, kind: dtype) -> None:
    if kind.kind in (dtypes.BOOL, dtypes.COMPLEX):
        raise not_implemented(loop, kind)


def _without_derivative(name: str) -> Callable[[Tensor], Tensor]:
    def rule(gradient: Tensor) -> Tensor:
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    return rule


IN_PLACE = "div true_divide divide floor_divide remainder reciprocal"
FUNCTIONS = METHODS = IN_PLACE
OPERATORS = {
    "__truediv__": as_operator(div),
    "__rtruediv__": as_operator(_divided_into),
    "__itruediv__": in_place_operator(div),
    "__floordiv__": as_operator(floor_divide),
    "__rfloordiv__": reverse(floor_divide),
    "__ifloordiv__": in_place_operator(floor_divide),
    "__mod__": as_operator(remainder),
    "__rmod__": reverse(remainder),
    "__imod__": in_place_operator(remainder),
}
