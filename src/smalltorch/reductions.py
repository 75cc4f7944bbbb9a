"""One number for each line of a tensor: its sum, mean, variance, whether all of it is true."""

import builtins
import math
from collections.abc import Callable
from itertools import repeat
from operator import mul, sub
from typing import Any

from smalltorch import dtypes
from smalltorch.arguments import bad_call, dtype_argument
from smalltorch.autograd import record
from smalltorch.dtypes import class_name, get_default_dtype, real_of
from smalltorch.geometry import Shape, axes_of, axis_of
from smalltorch.lines import ALL, Line, axes_named, flag, reduced, restored
from smalltorch.overrides import named, operation
from smalltorch.tensor import Tensor, made, values

METHODS = "sum mean prod nansum var std all any count_nonzero logsumexp cov"
FUNCTIONS = f"{METHODS} var_mean std_mean"


# ---- Sums and products


@operation
def sum(
    input: Tensor, dim: Any = ALL, keepdim: bool = False, *, dtype: dtypes.dtype | None = None
) -> Tensor:
    """Return the sum of the numbers along axes, of all where none is named."""
    input = input if dtype is None else input.to(dtype)
    axes = axes_named("sum", input, dim, keepdim)
    result = reduced(builtins.sum, input, axes, keepdim, kind_of_total(input))
    shape = input.shape
    return record(result, "Sum", (input, lambda g: restored(g, axes, shape).expand(shape)))


@operation
def mean(
    input: Tensor, dim: Any = ALL, keepdim: bool = False, *, dtype: dtypes.dtype | None = None
) -> Tensor:
    """Return the mean of the numbers along axes, of all where none is named."""
    kind, what = dtype_argument("mean", dtype, input.dtype), "Optional" if dtype else "Input"
    if kind.kind < dtypes.FLOAT:
        raise RuntimeError(
            f"mean(): could not infer output dtype. {what} dtype must be either a floating point "
            f"or complex dtype. Got: {class_name(kind)}"
        )
    input = input if dtype is None else input.to(dtype)
    axes = axes_named("mean", input, dim, keepdim)
    result = reduced(_mean_of, input, axes, keepdim, input.dtype)
    shape, count = input.shape, _length(input, axes)
    return record(
        result, "Mean", (input, lambda g: (restored(g, axes, shape) / count).expand(shape))
    )


@operation
def prod(
    input: Tensor, dim: Any = ALL, keepdim: bool = False, *, dtype: dtypes.dtype | None = None
) -> Tensor:
    """Return the product of the numbers along an axis, of all where none is named."""
    input = input if dtype is None else input.to(dtype)
    named = dim if dim is ALL else axis_of(dim, input.ndim)
    axes = axes_named("prod", input, named, keepdim)
    result = reduced(math.prod, input, axes, keepdim, kind_of_total(input))

    def rule(gradient: Tensor, input: Tensor, result: Tensor) -> Any:
        return _prod_gradient(
            restored(gradient, axes, input.shape), input, restored(result, axes, input.shape), axes
        )

    return record(result, "Prod", (input, rule, input, result))


@operation
def nansum(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: dtypes.dtype | None = None
) -> Tensor:
    """Return the sum of the numbers that are not nan."""
    return sum(input.masked_fill(input.isnan(), 0), dim, keepdim, dtype=dtype)


def without(input: Tensor, axis: int, place: int) -> tuple[Tensor, Tensor]:
    """Return a tensor with ones at one place of an axis, and a mask of that place."""
    size = input.shape[axis]
    shape = (size, *(1,) * (input.ndim - axis - 1))
    here = made((each == place for each in range(size)), shape, dtypes.bool_)
    return input.masked_fill(here, 1), here


def kind_of_total(input: Tensor) -> dtypes.dtype:
    """Return the dtype of sums and products: int64 for all integers."""
    return input.dtype if input.dtype.kind > dtypes.INTEGER else dtypes.int64


def _length(input: Tensor, axes: Shape) -> int:
    return math.prod(input.shape[axis] for axis in axes)


def _mean_of(line: Line) -> Any:
    return builtins.sum(line) / len(line) if len(line) else math.nan


def _prod_gradient(gradient: Tensor, input: Tensor, result: Tensor, axes: Shape) -> Any:
    if builtins.all(values(input)):
        return gradient * result / input
    if len(axes) != 1:
        flat = (gradient.reshape(1), input.reshape(-1), result.reshape(1))
        return _prod_gradient(*flat, (0,)).reshape(input.shape)
    (axis,) = axes  # one of the factors is 0: the product of the others, for each
    total: Any = 0
    for place in range(input.shape[axis]):
        others, here = without(input, axis, place)
        total = total + gradient * others.prod(axis, keepdim=True) * here
    return total


# ---- Variance and standard deviation


def _about_the_mean(name: str, doc: str, compute: Callable[..., Any]) -> Any:
    """Return a function with the arguments that variance and deviation share."""

    def function(
        input: Tensor, dim: Any = ALL, unbiased: bool | None = None, keepdim: bool = False, *,
        correction: Any = None,
    ) -> Any:  # fmt: skip
        return compute(input, *_asked(name, input, dim, unbiased, keepdim, correction), keepdim)

    return named(function, name, doc)


def _var(input: Tensor, axes: Shape, correction: Any, keepdim: bool) -> Tensor:
    result = reduced(
        lambda line: _variance(line, correction), input, axes, keepdim, real_of(input.dtype)
    )
    return record(result, "Var", (input, lambda g, x: _var_gradient(g, x, axes, correction), input))


def _std(input: Tensor, axes: Shape, correction: Any, keepdim: bool) -> Tensor:
    result = reduced(
        lambda line: math.sqrt(_variance(line, correction)),
        input, axes, keepdim, real_of(input.dtype),
    )  # fmt: skip

    def rule(gradient: Any, input: Tensor, result: Any) -> Any:
        gradient = (gradient / (result * 2)).masked_fill(result == 0, 0)
        return _var_gradient(gradient, input, axes, correction)

    return record(result, "Std", (input, rule, input, result))


def _with_mean(compute: Callable[..., Tensor]) -> Callable[..., tuple[Tensor, Tensor]]:
    def both(input: Tensor, axes: Shape, correction: Any, keepdim: bool) -> tuple[Tensor, Tensor]:
        return compute(input, axes, correction, keepdim), mean(input, axes, keepdim)

    return both


var = _about_the_mean(
    "var", "Return the variance: the sum of squares about the mean over count - correction.", _var
)
std = _about_the_mean("std", "Return the standard deviation, the root of the variance.", _std)
var_mean = _about_the_mean("var_mean", "Return the variance and the mean.", _with_mean(_var))
std_mean = _about_the_mean(
    "std_mean", "Return the standard deviation and the mean.", _with_mean(_std)
)


def _asked(
    function: str, input: Tensor, dim: Any, unbiased: Any, keepdim: Any, correction: Any
) -> tuple[Shape, Any]:
    """Return the axes and the correction of the three forms in which they are asked for."""
    if input.dtype.kind < dtypes.FLOAT:
        raise RuntimeError("std and var only support floating point and complex dtypes")
    if isinstance(dim, bool):  # var(False)
        dim, unbiased = ALL, dim
    if unbiased is not None:
        if correction is not None or (dim is ALL and keepdim):
            raise bad_call(function, unbiased)
        correction = int(flag("unbiased", unbiased))
    axes = axes_of(None if dim is ALL else dim, input.ndim)
    return axes, 1 if correction is None else correction


def _variance(line: Line, correction: Any) -> float:
    centre = _mean_of(line)
    away = list(map(sub, line, repeat(centre)))
    if isinstance(centre, complex):
        away = list(map(abs, away))
    squares, count = builtins.sum(map(mul, away, away)), len(line) - correction
    if count > 0:
        return squares / count
    return math.inf if squares > 0 else math.nan


def _var_gradient(gradient: Tensor, input: Tensor, axes: Shape, correction: Any) -> Any:
    gradient = restored(gradient, axes, input.shape)
    away, count = input - mean(input, axes, True), _length(input, axes) - correction
    return gradient * away * (2 / count) if count > 0 else gradient * away.abs() * math.inf


# ---- Truth


@operation
def all(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Say whether all entries along axes are other than 0."""
    return reduced(builtins.all, input, axes_of(dim, input.ndim), keepdim, _kind_of_truth(input))


@operation
def any(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Say whether one of the entries along axes is other than 0."""
    return reduced(builtins.any, input, axes_of(dim, input.ndim), keepdim, _kind_of_truth(input))


@operation
def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    """Return how many entries along axes are other than 0."""
    axes = axes_of(dim, input.ndim)
    return reduced(lambda line: builtins.sum(map(bool, line)), input, axes, False, dtypes.int64)


def _kind_of_truth(input: Tensor) -> dtypes.dtype:
    return input.dtype if input.dtype is dtypes.uint8 else dtypes.bool_


# ---- Others


@operation
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """Return log(sum(exp(input))) along axes, however large the numbers are."""
    if input.dtype.kind < dtypes.FLOAT:
        input = input.to(get_default_dtype())
    axes = axes_of(dim, input.ndim)
    result = reduced(_log_sum_exp, input, axes, keepdim, input.dtype)

    def rule(gradient: Tensor, input: Tensor, result: Tensor) -> Any:
        shares = (input - restored(result, axes, input.shape)).exp()
        return restored(gradient, axes, input.shape) * shares

    return record(result, "Logsumexp", (input, rule, input, result))


def _log_sum_exp(line: Line) -> float:
    top = max(line, default=-math.inf)
    if math.isnan(top):
        return math.nan
    shift = 0.0 if math.isinf(top) else top
    total = builtins.sum(map(math.exp, map(sub, line, repeat(shift))))
    return shift + math.log(total) if total else -math.inf


@operation
def cov(input: Tensor, *, correction: int = 1, fweights: Tensor | None = None) -> Tensor:
    """Return the covariances of the rows, whose columns occur `fweights` times each."""
    if input.ndim > 2:
        raise RuntimeError(
            "cov(): expected input to have two or fewer dimensions but got an input with "
            f"{input.ndim} dimensions"
        )
    rows = input if input.ndim == 2 else input.reshape(1, -1)
    rows = rows if rows.dtype.kind >= dtypes.FLOAT else rows.to(get_default_dtype())
    if fweights is None:
        away = rows - mean(rows, 1, True)
        return (away @ away.T / max(rows.shape[1] - correction, 0)).squeeze()
    count = fweights.sum()
    away = rows - (rows * fweights).sum(1, True) / count
    return (away * fweights @ away.T / (count - correction).clamp(min=0)).squeeze()
