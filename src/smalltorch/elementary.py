"""Functions of one number, entry by entry: exp, log, tanh and their like.

Each has a line that says what computes it, what torch returns where Python raises, and its
derivative. What needs two numbers stands below.
"""

import builtins
import cmath
import math
from collections.abc import Callable, Iterable
from typing import Any

from smalltorch import dtypes
from smalltorch.arithmetic import mul
from smalltorch.autograd import record
from smalltorch.division import div
from smalltorch.dtypes import real_of, wide
from smalltorch.overrides import operation
from smalltorch.pointwise import (
    UNDEFINED,
    float_type,
    looped,
    not_implemented,
    pointwise,
    result_type,
)
from smalltorch.refusal import not_here
from smalltorch.tensor import Tensor

Number = Callable[[float], float]
Rule = Callable[[Tensor, Tensor], Any]
INPUT, RESULT = "input", "result"  # which of the two a derivative is written with


def _function(
    name: str,
    compute: Number,
    rule: Rule,
    *,
    of: str = INPUT,
    at: dict[float, float] | None = None,
    too_large: Number = lambda x: math.inf,
) -> Callable[[Tensor], Tensor]:
    """Return a function of torch.

    Args:
        rule: returns the gradient of the input: of that of the result, and the input or the result.
        of: which of the two the rule gets.
        at: what is returned where `compute` raises ValueError, if not nan.
        too_large: what is returned where the result is too large for a float.
    """
    undefined = at or {}

    def careful(x: float) -> float:
        try:
            return compute(x)
        except OverflowError:
            return too_large(x)
        except UNDEFINED:
            return undefined.get(x, math.nan)

    def call(input: Tensor) -> Tensor:
        kind, function = float_type(input), compute
        if kind.is_complex:
            if not hasattr(cmath, name):
                raise not_here(f"torch.{name} of complex numbers")
            function = getattr(cmath, name)
        result = pointwise(function, input, kind=kind, careful=careful)
        saved = input if of == INPUT else result
        return record(result, name.capitalize(), (input, _conjugating(rule), saved))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Return {name} of each number."
    return operation(call)


def _conjugating(rule: Rule) -> Rule:
    # The derivative at a conjugate is the conjugate of the derivative, which torch multiplies with.
    return lambda g, saved: rule(g, saved.conj() if saved.dtype.is_complex else saved)


def _signed_infinity(x: float) -> float:
    return math.copysign(math.inf, x)


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


LOG_2, LOG_10 = math.log(2), math.log(10)
_SLOPE = 2 / math.sqrt(math.pi)  # of erf at 0

exp = _function("exp", math.exp, lambda g, y: g * y, of=RESULT)
exp2 = _function("exp2", math.exp2, lambda g, y: g * y * LOG_2, of=RESULT)
expm1 = _function("expm1", math.expm1, lambda g, y: g * (y + 1), of=RESULT)
log = _function("log", math.log, lambda g, x: g / x, at={0: -math.inf})
log2 = _function("log2", math.log2, lambda g, x: g / (x * LOG_2), at={0: -math.inf})
log10 = _function("log10", math.log10, lambda g, x: g / (x * LOG_10), at={0: -math.inf})
log1p = _function("log1p", math.log1p, lambda g, x: g / (x + 1), at={-1: -math.inf})
sqrt = _function("sqrt", math.sqrt, lambda g, y: g / (2 * y), of=RESULT)
rsqrt = _function(
    "rsqrt", lambda x: 1 / math.sqrt(x), lambda g, y: -0.5 * g * y**3, of=RESULT, at={0: math.inf}
)
sin = _function("sin", math.sin, lambda g, x: g * x.cos())
cos = _function("cos", math.cos, lambda g, x: g * -x.sin())
tan = _function("tan", math.tan, lambda g, y: g * (1 + y * y), of=RESULT)
asin = _function("asin", math.asin, lambda g, x: g * (1 - x * x).rsqrt())
acos = _function("acos", math.acos, lambda g, x: g * -(1 - x * x).rsqrt())
atan = _function("atan", math.atan, lambda g, x: g / (x * x + 1))
sinh = _function("sinh", math.sinh, lambda g, x: g * x.cosh(), too_large=_signed_infinity)
cosh = _function("cosh", math.cosh, lambda g, x: g * x.sinh())
tanh = _function("tanh", math.tanh, lambda g, y: g * (1 - y * y), of=RESULT)
sigmoid = _function(
    "sigmoid", _sigmoid, lambda g, y: g * ((1 - y) * y), of=RESULT, too_large=lambda x: 0.0
)
erf = _function("erf", math.erf, lambda g, x: g * (_SLOPE * (-x * x).exp()))


# ---- Of whole numbers whole numbers


def _whole(name: str, function: Callable[[float], int], meaning: str) -> Callable[[Tensor], Tensor]:
    def keep_sign(x: float) -> float:
        return math.copysign(function(x), x)  # -0.0 as well

    def careful(x: float) -> float:
        return keep_sign(x) if math.isfinite(x) else x

    def call(input: Tensor) -> Tensor:
        kind = input.dtype
        if kind.is_complex:
            raise NotImplementedError(f"{name} is not supported for complex inputs")
        if kind is dtypes.bool_:
            raise not_implemented(f"{name}_vml_cpu", kind)
        fast = keep_sign if kind.is_floating_point else int
        result = pointwise(fast, input, kind=kind, careful=careful)
        return record(result, name.capitalize(), (input, _flat))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Return {meaning}."
    return operation(call)


def _flat(gradient: Tensor) -> Any:
    return gradient.new_zeros(gradient.shape)


floor = _whole("floor", math.floor, "the next whole number below")
ceil = _whole("ceil", math.ceil, "the next whole number above")
trunc = _whole("trunc", math.trunc, "the whole number towards zero")
_round = _whole("round", builtins.round, "the nearest whole number; of two, the even one")


@operation
def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """Return the nearest number with so many digits behind the point; of two, the even one."""
    if not decimals:
        return _round(input)
    if not input.is_floating_point():
        raise not_implemented("round_cpu", input.dtype)
    unit = 10.0 ** abs_of(decimals)
    if decimals > 0:
        return div(_round(mul(input, unit)), unit)
    return mul(_round(div(input, unit)), unit)


# ---- Signs


abs_of = builtins.abs


@operation
def abs(input: Tensor) -> Tensor:
    """Return the absolute values."""
    kind = input.dtype
    if kind is dtypes.bool_:
        raise not_implemented("abs_cpu", kind)
    result = pointwise(abs_of, input, kind=kind, result=real_of(kind))
    return record(result, "Abs", (input, lambda g, x: g * x.sgn(), input))


@operation
def sign(input: Tensor) -> Tensor:
    """Return -1, 0 or 1."""
    if input.is_complex():
        raise NotImplementedError(
            "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use "
            "torch.sgn instead."
        )
    result = looped(_signs, input, kind=input.dtype)
    return record(result, "Sign", (input, _flat))


@operation
def sgn(input: Tensor) -> Tensor:
    """Return -1, 0 or 1; of complex numbers, those of the same angle at the distance of 1."""
    if not input.is_complex():
        return sign(input)
    result = pointwise(lambda z: z / abs_of(z) if z else z, input, kind=input.dtype)
    return record(result, "Sgn", (input, _across, input, result))


def _across(g: Tensor, z: Tensor, unit: Tensor) -> Any:
    """Return the part of a gradient that turns a number; its length does not count."""
    length = z.abs()
    slope = g / length - (g / unit).real * unit / length
    return slope.masked_fill(length == 0, 0)


@operation
def relu(input: Tensor) -> Tensor:
    """Return the positive numbers, and 0 in place of the negative ones."""
    if input.dtype is dtypes.bool_:
        raise RuntimeError("Boolean inputs not supported for relu")
    result = looped(_positive_parts, input, kind=input.dtype)
    return record(result, "Relu", (input, lambda g, y: g.masked_fill(y <= 0, 0), result))


def _signs(numbers: Iterable[float]) -> list[int]:
    return [(x > 0) - (x < 0) for x in numbers]


def _positive_parts(numbers: Iterable[float]) -> list[float]:
    return [0 if x < 0 else x for x in numbers]


@operation
def deg2rad(input: Tensor) -> Tensor:
    """Return degrees as radians."""
    return mul(input, math.pi / 180)


@operation
def rad2deg(input: Tensor) -> Tensor:
    """Return radians as degrees."""
    return mul(input, 180 / math.pi)


# ---- Entropy and chances


@operation
def entr(input: Tensor) -> Tensor:
    """Return -x log x; 0 at 0, minus infinity below."""
    result = pointwise(_entropy, input, kind=float_type(input))
    return record(result, "SpecialEntr", (input, lambda g, x: g * (-x.log() - 1), input))


def _entropy(x: float) -> float:
    if x > 0:
        return -x * math.log(x)
    return x if x == 0 or x != x else -math.inf


# ---- Of two numbers


@operation
def xlogy(input: Any, other: Any) -> Tensor:
    """Return input * log(other); 0 where the input is 0."""
    kind = float_type(input, other)
    result = pointwise(_times_log, input, other, kind=wide(kind), result=kind)
    return record(
        result,
        "Xlogy",
        (input, _log_of_second, input, other),
        (other, lambda g, x, y: g * x / y, input, other),
    )


def _log_of_second(g: Tensor, x: Any, y: Any) -> Any:
    return xlogy(g, y).masked_fill((x == 0) & (y <= 0), 0)


def _times_log(x: float, y: float) -> float:
    if y != y:
        return y
    if x == 0:
        return 0.0
    if y > 0:
        return x * math.log(y)
    return math.nan if y else -math.inf * x


@operation
def logaddexp(input: Tensor, other: Tensor) -> Tensor:
    """Return log(exp(input) + exp(other))."""
    kind = result_type(input, other)
    if kind.kind < dtypes.FLOAT:
        raise not_implemented("logaddexp_cpu", kind)
    result = pointwise(_log_of_sum, input, other, kind=kind)
    return record(
        result,
        "Logaddexp",
        (input, lambda g, a, b: g / (1 + (b - a).exp()), input, other),
        (other, lambda g, a, b: g / (1 + (a - b).exp()), input, other),
    )


def _log_of_sum(a: float, b: float) -> float:
    if a == b:
        return a + LOG_2
    return max(a, b) + math.log1p(math.exp(-abs_of(a - b)))


absolute = abs

IN_PLACE = (
    "exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan asin acos atan sinh cosh tanh "
    "sigmoid erf floor ceil trunc round abs absolute sign sgn relu deg2rad rad2deg xlogy"
)
METHODS = f"{IN_PLACE} logaddexp"
FUNCTIONS = METHODS
OPERATORS = {"__abs__": abs}
