"""Running results along an axis: sums, products, extremes, and differences of neighbours."""

import math
from collections.abc import Callable
from itertools import accumulate
from operator import add, mul
from typing import Any

from smalltorch import dtypes
from smalltorch.autograd import record
from smalltorch.dtypes import class_name, finfo
from smalltorch.geometry import axis_of
from smalltorch.lines import lines, woven
from smalltorch.overrides import operation
from smalltorch.reductions import kind_of_total, without
from smalltorch.tensor import Tensor, made, values

FUNCTIONS = METHODS = "cumsum cumprod logcumsumexp diff"


@operation
def cumsum(input: Tensor, dim: int, *, dtype: dtypes.dtype | None = None) -> Tensor:
    """Return the sums of the numbers along an axis up to each."""
    input, axis = input if dtype is None else input.to(dtype), axis_of(dim, input.ndim)
    result = _running(add, input, axis, kind_of_total(input))
    return record(result, "Cumsum", (input, lambda g: _cumsum_back(g, axis)))


@operation
def cumprod(input: Tensor, dim: int, *, dtype: dtypes.dtype | None = None) -> Tensor:
    """Return the products of the numbers along an axis up to each."""
    input, axis = input if dtype is None else input.to(dtype), axis_of(dim, input.ndim)
    result = _running(mul, input, axis, kind_of_total(input))
    return record(
        result,
        "Cumprod",
        (input, lambda g, x, product: _cumprod_gradient(g, x, product, axis), input, result),
    )


@operation
def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """Return the logarithms of the sums of the exponentials along an axis up to each."""
    if input.dtype.kind < dtypes.FLOAT:
        raise NotImplementedError(
            f"\"logcumsumexp_out_cpu\" not implemented for '{class_name(input.dtype)}'"
        )
    axis = axis_of(dim, input.ndim)
    result = _running(_log_add_exp, input, axis, input.dtype)
    return record(
        result,
        "Logcumsumexp",
        (input, lambda g, x, sums: _logcumsumexp_gradient(g, x, sums, axis), input, result),
    )


@operation
def diff(
    input: Tensor,
    n: int = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """Return what each number along an axis exceeds the one before it by, n times over."""
    from smalltorch.joining import cat

    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    if not input.shape:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    axis = axis_of(dim, input.ndim)
    parts = [part for part in (prepend, input, append) if part is not None]
    result: Any = cat(parts, axis) if len(parts) > 1 else input
    for _time in range(min(n, result.shape[axis])):
        rest = result.shape[axis] - 1
        after, before = result.narrow(axis, 1, rest), result.narrow(axis, 0, rest)
        result = after ^ before if result.dtype is dtypes.bool_ else after - before
    return result


def _running(function: Callable[[Any, Any], Any], input: Tensor, axis: int, kind: Any) -> Tensor:
    along = [accumulate(line, function) for line in lines(input, (axis,)[: input.ndim])]
    return made(woven(along, input.shape, axis), input.shape, kind)


def _log_add_exp(a: float, b: float) -> float:
    low, high = (a, b) if a < b else (b, a)
    if math.isinf(high) or math.isnan(low + high):
        return high if high == high else low
    return high + math.log1p(math.exp(low - high))


# ---- The way back


def _cumsum_back(gradient: Any, axis: int) -> Tensor:
    """Return the sums from the end: an entry went into its own sum and all that follow."""
    if not gradient.shape:
        return gradient
    return gradient.flip(axis).cumsum(axis).flip(axis)


def _cumprod_gradient(gradient: Any, input: Any, product: Any, axis: int) -> Any:
    if all(values(input)):
        return _cumsum_back(gradient * product, axis) / input
    if not input.shape:
        return gradient
    total: Any = 0
    for place in range(input.shape[axis]):  # one of the factors is 0: the others, for each
        others, here = without(input, axis, place)
        rest = input.shape[axis] - place
        products = (gradient * others.cumprod(axis)).narrow(axis, place, rest)
        total = total + products.sum(axis, keepdim=True) * here
    return total


def _logcumsumexp_gradient(gradient: Any, input: Any, sums: Any, axis: int) -> Any:
    """Return sum(gradient * exp(input - sums)) from the end, with logarithms of the gradient."""
    least = finfo(input.dtype).min

    def part(positive: Any) -> Any:
        logs = positive.log().masked_fill(~(positive > 0), least)
        if not logs.shape:
            return (logs - sums + input).exp()
        return ((logs - sums).flip(axis).logcumsumexp(axis).flip(axis) + input).exp()

    return part(gradient) - part(-gradient)
