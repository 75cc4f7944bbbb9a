"""Sums, differences and products, entry by entry."""

import operator
from collections.abc import Callable
from typing import Any

from smalltorch import dtypes
from smalltorch.arguments import wrong_kind
from smalltorch.autograd import record
from smalltorch.complex_numbers import conjugate
from smalltorch.dtypes import c_name, dtype, wide
from smalltorch.inplace import in_place
from smalltorch.overrides import operation
from smalltorch.pointwise import OPERAND, as_operator, not_implemented, pointwise, result_type
from smalltorch.tensor import Tensor


@operation
def add(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """Return input + alpha * other."""
    kind = kind_of_both("add", input, other)
    other = _scaled(other, alpha, kind)
    result = pointwise(operator.add, input, other, kind=wide(kind), result=kind)
    return record(result, "Add", (input, unchanged), (other, unchanged))


@operation
def sub(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """Return input - alpha * other."""
    return _difference("Sub", input, other, alpha)


@operation
def rsub(input: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """Return other - alpha * input."""
    return _difference("Rsub", other, input, alpha)


def _difference(name: str, input: Any, other: Any, alpha: Any) -> Tensor:
    kind = kind_of_both(name.lower(), input, other)
    _refuse_bools(input, other)
    other = _scaled(other, alpha, kind)
    result = pointwise(operator.sub, input, other, kind=wide(kind), result=kind)
    return record(result, name, (input, unchanged), (other, lambda g: -g))


@operation
def mul(input: Any, other: Any) -> Tensor:
    """Return input * other."""
    kind = kind_of_both("mul", input, other)
    result = pointwise(operator.mul, input, other, kind=wide(kind), result=kind)
    return record(
        result,
        "Mul",
        (input, lambda g, b: g * conjugate(b), other),
        (other, lambda g, a: g * conjugate(a), input),
    )


@operation
def neg(input: Tensor) -> Tensor:
    """Return -input."""
    if input.dtype is dtypes.bool_:
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
            "invert a mask, use the `~` or `logical_not()` operator instead."
        )
    result = pointwise(operator.neg, input, kind=input.dtype)
    return record(result, "Neg", (input, lambda g: -g))


@operation
def positive(input: Tensor) -> Tensor:
    """Return the input itself."""
    if input.dtype is dtypes.bool_:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


@operation
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
    """Return input + value * tensor1 * tensor2."""
    return add(input, mul(tensor1, tensor2), alpha=value)


@operation
def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """Return input + weight * (end - input)."""
    for name, each in (("end", end), ("weight", weight)):
        if isinstance(each, Tensor) and each.dtype is not input.dtype:
            raise RuntimeError(
                f"expected dtype {c_name(input.dtype)} for `{name}` but got dtype "
                f"{c_name(each.dtype)}"
            )
    kind = input.dtype
    if kind.kind < dtypes.FLOAT:
        raise not_implemented("lerp_kernel_scalar", kind)
    result = pointwise(_between, input, end, weight, kind=wide(kind), result=kind)
    return record(
        result,
        "Lerp",
        (input, lambda g, w: g * (1 - w), weight),
        (end, lambda g, w: g * w, weight),
        (weight, lambda g, a, b: g * (b - a), input, end),
    )


multiply, subtract, negative = mul, sub, neg


def _between(start: float, end: float, weight: float) -> float:
    return start + weight * (end - start)


# ---- Arguments


def kind_of_both(name: str, input: Any, other: Any) -> dtype:
    """Return the dtype in which two operands of a function meet.

    Raises:
        TypeError: one of them is neither a tensor nor a number.
    """
    if not isinstance(input, OPERAND):
        raise wrong_kind(name, "input", 1, "Tensor", input)
    if not isinstance(other, OPERAND):
        raise wrong_kind(name, "other", 2, "Tensor", other)
    return result_type(input, other)


def _scaled(other: Any, alpha: Any, kind: dtype) -> Any:
    if alpha is True or alpha is False:
        if kind is not dtypes.bool_:
            raise RuntimeError("Boolean alpha only supported for Boolean results.")
    elif kind.kind < dtypes.FLOAT and isinstance(alpha, float):
        raise RuntimeError(
            "For integral input tensors, argument alpha must not be a floating point number."
        )
    return other if alpha == 1 else other * alpha


def _refuse_bools(*operands: Any) -> None:
    are_bools = [
        each.dtype is dtypes.bool_ if isinstance(each, Tensor) else isinstance(each, bool)
        for each in operands
    ]
    if all(are_bools):
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
            "`logical_xor()` operator instead."
        )
    if any(are_bools):
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying "
            "to invert a mask, use the `~` or `logical_not()` operator instead."
        )


def unchanged(gradient: Tensor) -> Tensor:
    """Return the gradient of what only something was added to."""
    return gradient


def zeros(gradient: Tensor) -> Any:
    """Return the gradient of what changes in steps."""
    return gradient.new_zeros(gradient.shape)


def reverse(function: Callable[[Any, Any], Tensor]) -> Callable[[Tensor, Any], Any]:
    """Return what Python calls where the tensor stands on the right: `2 ** x`."""
    return as_operator(lambda tensor, other: function(other, tensor))


def in_place_operator(function: Callable[..., Tensor]) -> Callable[[Tensor, Any], Any]:
    """Return what Python calls for `+=` and its like."""
    return as_operator(in_place(function, f"{function.__name__}_"))


IN_PLACE = "add sub mul neg addcmul lerp multiply subtract negative"
METHODS = f"{IN_PLACE} positive"
FUNCTIONS = f"{METHODS} rsub"
OPERATORS = {
    "__add__": as_operator(add), "__radd__": reverse(add), "__iadd__": in_place_operator(add),
    "__sub__": as_operator(sub), "__rsub__": as_operator(rsub), "__isub__": in_place_operator(sub),
    "__mul__": as_operator(mul), "__rmul__": reverse(mul), "__imul__": in_place_operator(mul),
    "__neg__": neg, "__pos__": positive,
}  # fmt: skip
