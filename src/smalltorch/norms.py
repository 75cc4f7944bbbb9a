"""How long a vector is."""

import builtins
import math
from collections.abc import Callable
from operator import mul
from typing import Any

from smalltorch import dtypes
from smalltorch.autograd import record
from smalltorch.dtypes import class_name, real_of
from smalltorch.geometry import Shape, axes_of
from smalltorch.lines import Line, reduced, restored
from smalltorch.overrides import operation
from smalltorch.refusal import not_here
from smalltorch.tensor import Tensor

FUNCTIONS = METHODS = "norm"


@operation
def norm(
    input: Tensor,
    p: Any = "fro",
    dim: Any = None,
    keepdim: bool = False,
    dtype: dtypes.dtype | None = None,
) -> Tensor:
    """Return the length of the vectors along axes, of all numbers where none is named."""
    if p == "nuc":
        raise not_here('torch.norm(p="nuc")')
    return vector_norm(input, 2 if p in ("fro", None) else p, dim, keepdim, dtype=dtype)


@operation
def vector_norm(
    x: Tensor,
    ord: Any = 2,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: dtypes.dtype | None = None,
) -> Tensor:
    """Return sum(abs(x) ** ord) ** (1 / ord) along axes, and the limits of it."""
    x = x if dtype is None else x.to(dtype)
    if x.dtype.kind < dtypes.FLOAT:
        raise RuntimeError(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
            f"{class_name(x.dtype)}"
        )
    axes = axes_of(dim, x.ndim)
    result = reduced(_length_of(ord), x, axes, keepdim, real_of(x.dtype))

    def rule(gradient: Tensor, x: Tensor, result: Tensor) -> Any:
        gradient, result = restored(gradient, axes, x.shape), restored(result, axes, x.shape)
        return _gradient(gradient, x, result, ord, axes)

    return record(result, "LinalgVectorNorm", (x, rule, x, result))


def _length_of(order: Any) -> Callable[[Line], float]:
    """Return the function of a line's numbers that is its norm of this order."""
    if order == 0:
        return lambda line: builtins.sum(map(bool, line))
    if order == 1:
        return lambda line: builtins.sum(map(abs, line))
    if math.isinf(order):
        return lambda line: _extreme(list(map(abs, line)), max if order > 0 else min)
    if order == 2:
        return _euclidean
    return lambda line: builtins.sum([abs(number) ** order for number in line]) ** (1 / order)


def _euclidean(line: Line) -> float:
    sizes = list(map(abs, line))
    return math.sqrt(builtins.sum(map(mul, sizes, sizes)))


def _extreme(sizes: list[float], choose: Callable[[list[float]], float]) -> float:
    total = builtins.sum(sizes)
    return total if math.isnan(total) else choose(sizes)  # no order with a nan among them


def _gradient(gradient: Tensor, x: Any, result: Any, order: Any, axes: Shape) -> Any:
    if order == 0:
        return None
    if order == 1:
        return gradient * x.sgn()
    if order == 2:
        return gradient * (x / result).masked_fill(result == 0, 0)
    if math.isinf(order):  # shared by all that are the largest
        shared = (x.abs() == result) | x.isnan()
        return x.sgn() * (gradient / shared.sum(axes, True)) * shared
    powers = (x.abs() ** (order - 1)).masked_fill(x == 0, 0)
    return x.sgn() * powers * (gradient / result ** (order - 1)).masked_fill(result == 0, 0)
