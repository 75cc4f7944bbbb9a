"""Powers, entry by entry."""

import builtins
import math
import operator
from typing import Any

from smalltorch import dtypes
from smalltorch.arguments import bad_call
from smalltorch.arithmetic import in_place_operator, reverse, zeros
from smalltorch.autograd import record
from smalltorch.complex_numbers import conjugate
from smalltorch.dtypes import dtype
from smalltorch.overrides import operation
from smalltorch.pointwise import (
    OPERAND,
    UNDEFINED,
    as_operator,
    not_implemented,
    pointwise,
    result_type,
)
from smalltorch.tensor import Tensor


@operation
def pow(input: Any, exponent: Any) -> Tensor:
    """Return input ** exponent."""
    one_is_tensor = isinstance(input, Tensor) or isinstance(exponent, Tensor)
    if not (one_is_tensor and isinstance(input, OPERAND) and isinstance(exponent, OPERAND)):
        raise bad_call("pow", input, exponent)
    kind = result_type(input, exponent)
    if kind.kind < dtypes.FLOAT:
        return _whole_power(input, exponent, kind)
    function, careful = (operator.pow, None) if kind.is_complex else (math.pow, _power)
    result = pointwise(function, input, exponent, kind=kind, careful=careful)
    return record(
        result,
        "Pow",
        (input, _base_of_power, input, exponent),
        (exponent, _exponent_of_power, input, exponent, result),
    )


def _whole_power(input: Any, exponent: Any, kind: dtype) -> Tensor:
    if exponent is True:
        return input.clone()
    if kind.kind == dtypes.BOOL:
        raise not_implemented("pow", kind)
    if not isinstance(exponent, Tensor) and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return pointwise(_integer_power, input, exponent, kind=kind)


def _base_of_power(g: Tensor, base: Tensor, exponent: Any) -> Any:
    if not isinstance(exponent, Tensor):
        return g * conjugate(exponent * base ** (exponent - 1)) if exponent else zeros(g)
    slope = g * conjugate(exponent * base ** (exponent - 1))
    return slope.masked_fill(exponent.eq(0), 0)


def _exponent_of_power(g: Tensor, base: Any, exponent: Tensor, result: Tensor) -> Any:
    if not isinstance(base, Tensor):
        base = exponent.new_tensor(base)
    slope = (result * base.log()).masked_fill((base == 0) & (exponent >= 0), 0)
    return g * conjugate(slope)


@operation
def square(input: Tensor) -> Tensor:
    """Return input * input."""
    return pow(input, 2)


def _integer_power(x: int, y: int) -> int:
    if y >= 0:
        return int(x**y) if y < 64 else builtins.pow(x, y, 2**64)  # of which 64 bits are kept
    return x ** (y % 2) if x in (1, -1) else 0


def _power(x: float, y: float) -> float:
    try:
        return math.pow(x, y)
    except UNDEFINED:
        if x < 0 and y % 1:
            return math.nan
        return math.copysign(math.inf, x) if y % 2 == 1 else math.inf


FUNCTIONS = METHODS = IN_PLACE = "pow square"
OPERATORS = {
    "__pow__": as_operator(pow),
    "__rpow__": reverse(pow),
    "__ipow__": in_place_operator(pow),
}
