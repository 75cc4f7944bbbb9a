"""Functions between two layers: one number in, one number out.

For each there is the function of a number, and its slope as a function of tensors, so that the
gradient has a gradient.
"""

import math
from collections.abc import Callable
from math import erf, exp, expm1, log1p, pi, sqrt
from typing import Any

from smalltorch import dtypes
from smalltorch.autograd import record
from smalltorch.dtypes import class_name
from smalltorch.inplace import overwrite
from smalltorch.overrides import operation
from smalltorch.pointwise import pointwise
from smalltorch.tensor import Tensor

GELU_INNER, GELU_CUBE = sqrt(2 / pi), 0.044715


def _applied(
    name: str,
    kernel: str,
    input: Tensor,
    function: Callable[[float], float],
    slope: Callable[[Tensor], Any],
    *,
    inplace: bool = False,
) -> Tensor:
    """Return a function of each number.

    Args:
        name: of the node.
        kernel: torch's own name of what computes it, which stands in the error.
        input, function: what is computed.
        slope: of the input, the derivative of the function.
        inplace: whether the result is written over the input.
    """
    if input.dtype.kind < dtypes.FLOAT:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{class_name(input.dtype)}'")
    result = pointwise(function, input, kind=input.dtype)
    record(result, name, (input, lambda gradient, x: gradient * slope(x), input))
    return overwrite(input, result) if inplace else result


@operation
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return max(x, 0)."""
    return input.relu_() if inplace else input.relu()


@operation
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Return x, at least 0 and at most 6."""
    return hardtanh(input, 0.0, 6.0, inplace)


@operation
def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """Return x, at least `min_val` and at most `max_val`."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")

    def inside(gradient: Tensor, x: Tensor) -> Any:
        return gradient * ((x > min_val) & (x < max_val)).to(gradient.dtype)

    result = input.detach().clamp(min_val, max_val).to(input.dtype)
    record(result, "Hardtanh", (input, inside, input))
    return overwrite(input, result) if inplace else result


@operation
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Return x, below 0 times `negative_slope`."""
    return _applied(
        "LeakyRelu",
        "leaky_relu_cpu",
        input,
        lambda x: x if x > 0 else x * negative_slope,
        lambda x: (x > 0).to(x.dtype) * (1 - negative_slope) + negative_slope,
        inplace=inplace,
    )


@operation
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return x, below 0 alpha (e^x - 1)."""
    return _elu(input, alpha, 1.0, inplace)


def _elu(input: Tensor, alpha: float, scale: float, inplace: bool) -> Tensor:
    return _applied(
        "Elu",
        "elu_cpu",
        input,
        lambda x: scale * (x if x > 0 else alpha * expm1(x)),
        lambda x: scale * (alpha * x.clamp(max=0).exp()).where(x <= 0, 1.0),
        inplace=inplace,
    )


@operation
def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """Return x times the share of a standard normal variable that is below x."""
    if approximate not in _GELU:
        raise RuntimeError("approximate argument must be either none or tanh.")
    return _applied("Gelu", "GeluKernelImpl", input, *_GELU[approximate])


def _by_tanh(x: float) -> float:
    return 0.5 * x * (1 + math.tanh(GELU_INNER * (x + GELU_CUBE * x * x * x)))


def _slope_by_tanh(x: Tensor) -> Any:
    bent = (GELU_INNER * (x + GELU_CUBE * x * x * x)).tanh()
    inner = GELU_INNER * (1 + 3 * GELU_CUBE * x * x)
    return 0.5 * (1 + bent) + 0.5 * x * (1 - bent * bent) * inner


_GELU: dict[str, tuple[Callable[[float], float], Callable[[Tensor], Any]]] = {
    "none": (
        lambda x: 0.5 * x * (1 + erf(x / sqrt(2))),
        lambda x: 0.5 * (1 + (x / sqrt(2)).erf()) + x * (-0.5 * x * x).exp() / sqrt(2 * pi),
    ),
    "tanh": (_by_tanh, _slope_by_tanh),
}


@operation
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return x times its sigmoid."""

    def slope(x: Tensor) -> Any:
        share = x.sigmoid()
        return share * (1 + x * (1 - share))

    return _applied("Silu", "silu_cpu", input, lambda x: x * _sigmoid(x), slope, inplace=inplace)


def _sigmoid(x: float) -> float:
    return 1 / (1 + exp(-x)) if x > -700 else exp(x)


@operation
def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """Return log(1 + e^(beta x)) / beta, where beta x is large x."""

    def function(x: float) -> float:
        return x if x * beta > threshold else log1p(exp(x * beta)) / beta

    def slope(x: Tensor) -> Any:
        return (x * beta).sigmoid().where(x * beta <= threshold, 1.0)

    return _applied("Softplus", "softplus_cpu", input, function, slope)


@operation
def logsigmoid(input: Tensor) -> Tensor:
    """Return the logarithm of the sigmoid."""
    return _applied(
        "LogSigmoid",
        "log_sigmoid_cpu",
        input,
        lambda x: min(x, 0.0) - log1p(exp(-abs(x))),
        lambda x: (-x).sigmoid(),
    )


@operation
def sigmoid(input: Tensor) -> Tensor:
    """Return 1 / (1 + e^-x)."""
    return input.sigmoid()


@operation
def tanh(input: Tensor) -> Tensor:
    """Return the hyperbolic tangent."""
    return input.tanh()


@operation
def softmax(input: Tensor, dim: int | None = None, *, dtype: Any = None) -> Tensor:
    """Return exponentials that sum to 1 along an axis."""
    return input.softmax(_axis(input, dim), dtype=dtype)


@operation
def log_softmax(input: Tensor, dim: int | None = None, *, dtype: Any = None) -> Tensor:
    """Return the logarithm of `softmax`."""
    return input.log_softmax(_axis(input, dim), dtype=dtype)


def _axis(input: Tensor, dim: int | None) -> int:
    if dim is None:  # torch warns, and takes this one
        return 0 if input.ndim in (0, 1, 3) else 1
    return dim
