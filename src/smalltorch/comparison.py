"""Comparing entry by entry, and what is done with the truth values that come of it."""

import math
import operator
from collections.abc import Callable
from typing import Any

from smalltorch import dtypes
from smalltorch.arguments import bad_call
from smalltorch.dtypes import bool_, class_name, rounded
from smalltorch.inplace import in_place
from smalltorch.overrides import operation
from smalltorch.pointwise import (
    NUMBER,
    OPERAND,
    as_operator,
    as_tensor_like,
    not_implemented,
    pointwise,
    result_type,
)
from smalltorch.tensor import Tensor, made, values

Function = Callable[..., Tensor]


# ---- Which is larger


def _compared(function: Callable[[Any, Any], bool], name: str, meaning: str) -> Function:
    def compare(input: Any, other: Any) -> Tensor:
        if not isinstance(input, Tensor) or not isinstance(other, OPERAND):
            raise bad_call(name, input, other)
        kind = result_type(input, other)
        if kind.is_complex and name not in ("eq", "ne"):
            raise not_implemented(f"{name}_cpu", kind)
        if not isinstance(other, Tensor):
            other = rounded(kind, other)
        return pointwise(function, input, other, kind=kind, result=bool_)

    compare.__name__ = compare.__qualname__ = name
    compare.__doc__ = f"Return where {meaning}."
    return operation(compare)


eq = _compared(operator.eq, "eq", "input == other")
ne = not_equal = _compared(operator.ne, "ne", "input != other")
lt = less = _compared(operator.lt, "lt", "input < other")
le = less_equal = _compared(operator.le, "le", "input <= other")
gt = greater = _compared(operator.gt, "gt", "input > other")
ge = greater_equal = _compared(operator.ge, "ge", "input >= other")


@operation
def equal(input: Tensor, other: Tensor) -> bool:
    """Say whether shape and entries are the same."""
    return input.shape == other.shape and all(map(operator.eq, values(input), values(other)))


@operation
def isclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
    """Return where |input - other| <= atol + rtol * |other|."""
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{class_name(input.dtype)} did not match {class_name(other.dtype)}")
    for name, limit in (("rtol", rtol), ("atol", atol)):
        if limit < 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {limit:g}")

    def close(x: Any, y: Any) -> Any:
        if x == y:
            return True
        if x != x or y != y:
            return equal_nan and x != x and y != y
        distance = abs(x - y)
        return distance < math.inf and distance <= atol + abs(rtol * y)

    return pointwise(close, input, other, kind=input.dtype, result=bool_)


@operation
def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Say whether all entries are close to each other."""
    close = isclose(input, other, rtol, atol, equal_nan)
    return all(values(close))


@operation
def isin(
    elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False
) -> Tensor:
    """Return which elements are among the others."""
    both = (elements, test_elements)
    tensors, numbers = (sum(isinstance(each, kind) for each in both) for kind in (Tensor, NUMBER))
    if not tensors or tensors + numbers < len(both):
        raise bad_call("isin", *both)
    elements, tests = as_tensor_like(elements), set(values(as_tensor_like(test_elements)))
    found = ((number in tests) is not invert for number in values(elements))
    return made(found, elements.shape, bool_)


# ---- What kind of number it is


def _asked(question: Callable[[Any], bool], name: str, meaning: str) -> Function:
    def ask(input: Tensor) -> Tensor:
        if input.dtype.kind < dtypes.FLOAT:  # nothing infinite there
            return pointwise(
                lambda _whole: name == "isfinite", input, kind=input.dtype, result=bool_
            )
        return pointwise(question, input, kind=input.dtype, result=bool_)

    ask.__name__ = ask.__qualname__ = name
    ask.__doc__ = f"Return where the input is {meaning}."
    return operation(ask)


isnan = _asked(lambda x: x != x, "isnan", "not a number")
isinf = _asked(lambda x: abs(x) == math.inf, "isinf", "infinite")
isfinite = _asked(lambda x: abs(x) < math.inf, "isfinite", "finite")
isposinf = _asked(lambda x: x == math.inf, "isposinf", "plus infinity")
isneginf = _asked(lambda x: x == -math.inf, "isneginf", "minus infinity")


# ---- Truth values


@operation
def logical_not(input: Tensor) -> Tensor:
    """Return where the input is zero."""
    return pointwise(operator.not_, input, kind=input.dtype, result=bool_)


def _logical(function: Callable[[bool, bool], bool], name: str, meaning: str) -> Function:
    def combine(input: Tensor, other: Tensor) -> Tensor:
        return pointwise(function, input, other, kind=bool_)

    combine.__name__ = combine.__qualname__ = name
    combine.__doc__ = f"Return where {meaning} zero."
    return operation(combine)


logical_and = _logical(operator.and_, "logical_and", "neither of both is")
logical_or = _logical(operator.or_, "logical_or", "not both are")
logical_xor = _logical(operator.xor, "logical_xor", "one of both is")


# ---- Bits


def _bitwise(function: Callable[[Any, Any], Any], name: str, loop: str) -> Function:
    def combine(input: Any, other: Any) -> Tensor:
        kind = result_type(input, other)
        if kind.kind >= dtypes.FLOAT or (kind is bool_ and "shift" in loop):
            raise not_implemented(f"{loop}_cpu", kind)
        return pointwise(function, input, other, kind=kind)

    combine.__name__ = combine.__qualname__ = name
    combine.__doc__ = "Return what becomes of each two bits."
    return operation(combine)


def _shifted_left(number: int, by: int) -> int:
    return number << by if 0 <= by < 64 else 0


def _shifted_right(number: int, by: int) -> int:
    return number >> (by if 0 <= by < 64 else 63)


bitwise_and = _bitwise(operator.and_, "bitwise_and", "bitwise_and")
bitwise_or = _bitwise(operator.or_, "bitwise_or", "bitwise_or")
bitwise_xor = _bitwise(operator.xor, "bitwise_xor", "bitwise_xor")
bitwise_left_shift = _bitwise(_shifted_left, "bitwise_left_shift", "lshift")
bitwise_right_shift = _bitwise(_shifted_right, "bitwise_right_shift", "rshift")


@operation
def bitwise_not(input: Tensor) -> Tensor:
    """Return each bit turned over; of truth values, the opposite."""
    kind = input.dtype
    if kind.kind >= dtypes.FLOAT:
        raise not_implemented("bitwise_not_cpu", kind)
    return pointwise(operator.not_ if kind is bool_ else operator.invert, input, kind=kind)


def _inverted(input: Tensor) -> Tensor:
    if input.dtype.kind >= dtypes.FLOAT:
        raise TypeError(
            "~ (operator.invert) is only implemented on integer and Boolean-type tensors"
        )
    return bitwise_not(input)


_RELATIONS = {"eq": eq, "ne": ne, "lt": lt, "le": le, "gt": gt, "ge": ge}
_BITWISE = {"and": bitwise_and, "or": bitwise_or, "xor": bitwise_xor,
            "lshift": bitwise_left_shift, "rshift": bitwise_right_shift}  # fmt: skip
IN_PLACE = (
    "eq ne lt le gt ge not_equal less less_equal greater greater_equal logical_not logical_and "
    "logical_or logical_xor bitwise_and bitwise_or bitwise_xor bitwise_not bitwise_left_shift "
    "bitwise_right_shift"
)
METHODS = f"{IN_PLACE} equal isclose allclose isnan isinf isfinite isposinf isneginf"
FUNCTIONS = f"{METHODS} isin"
OPERATORS = {
    **{f"__{name}__": as_operator(f) for name, f in (_RELATIONS | _BITWISE).items()},
    **{f"__r{name}__": as_operator(lambda b, a, f=f: f(a, b)) for name, f in _BITWISE.items()},
    **{f"__i{name}__": as_operator(in_place(f, f"{f.__name__}_")) for name, f in _BITWISE.items()},
    "__invert__": _inverted,
}  # fmt: skip
