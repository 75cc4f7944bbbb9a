"""How far apart vectors are, and how much they point the same way."""

import math
from collections.abc import Callable
from itertools import product, starmap
from operator import sub
from typing import Any

from smalltorch.arguments import tensor_argument
from smalltorch.autograd import no_grad, record
from smalltorch.dtypes import class_name
from smalltorch.geometry import broadcast_shape
from smalltorch.norms import vector_norm
from smalltorch.overrides import operation
from smalltorch.pointwise import result_type
from smalltorch.refusal import not_here
from smalltorch.stacks import rows_of
from smalltorch.tensor import Tensor, made

FUNCTIONS = "cdist cosine_similarity"
_MODES = (
    "use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist",
)  # fmt: skip


@operation
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = _MODES[0]) -> Tensor:
    """Return the p-norm distance of each row of one matrix to each row of another.

    The modes of computing it differ in rounding only: here all are the exact one.
    """
    _check_cdist(x1, tensor_argument("cdist", x2, "x2", 2), p, compute_mode)
    lead = broadcast_shape(x1.shape[:-2], x2.shape[:-2])
    one, two = (x.expand((*lead, *x.shape[-2:])) for x in (x1, x2))
    numbers: list[float] = []
    for rows, others in zip(rows_of(one), rows_of(two), strict=True):
        numbers += starmap(_distance_of(p), product(rows, others))
    result = made(numbers, (*lead, x1.shape[-2], x2.shape[-2]), x1.dtype)

    def to_first(gradient: Any, x1: Any, x2: Any, result: Any) -> Any:
        return _slopes(gradient, x1.unsqueeze(-2) - x2.unsqueeze(-3), result, p).sum(-2)

    def to_second(gradient: Any, x1: Any, x2: Any, result: Any) -> Any:
        return _slopes(gradient, x2.unsqueeze(-3) - x1.unsqueeze(-2), result, p).sum(-3)

    return record(result, "Cdist", (x1, to_first, x1, x2, result), (x2, to_second, x1, x2, result))


@operation
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """Return the cosine of the angle between vectors along an axis; no length is less than eps."""
    kind = result_type(x1, tensor_argument("cosine_similarity", x2, "x2", 2))
    if not kind.is_floating_point:
        raise RuntimeError(
            "expected common dtype to be floating point, yet common dtype is " + class_name(kind)
        )
    shape = broadcast_shape(x1.shape, x2.shape)
    units = [_unit(x.to(kind).expand(shape), dim, eps) for x in (x1, x2)]
    return (units[0] * units[1]).sum(dim)


def _unit(x: Any, dim: int, eps: float) -> Any:
    """Return vectors over their lengths; the slope is that of the length even where eps counts."""
    length: Any = vector_norm(x, 2, dim, True).clone()
    with no_grad():
        length.clamp_min_(eps)
    return x / length


def _check_cdist(x1: Tensor, x2: Tensor, p: float, mode: str) -> None:
    if mode not in _MODES:
        raise ValueError(f"{mode} is not a valid value for compute_mode")
    for x, name in ((x1, "X1"), (x2, "X2")):
        if x.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {x.ndim}D")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(
            f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}"
        )
    for x, name in ((x1, "X1"), (x2, "X2")):
        if not x.is_floating_point():
            raise RuntimeError(
                f"cdist only supports floating-point dtypes, {name} got: {class_name(x.dtype)}"
            )
    if x1.dtype is not x2.dtype:
        raise RuntimeError(
            f"expected scalar type {class_name(x1.dtype)} but found {class_name(x2.dtype)}"
        )


def _distance_of(p: float) -> Callable[[Any, Any], float]:
    """Return the function of two vectors that is their distance."""
    if p == 2:
        return math.dist
    if p == 1:
        return lambda a, b: sum(map(abs, map(sub, a, b)))
    raise not_here(f"torch.cdist(p={p})")


def _slopes(gradient: Any, difference: Any, result: Any, p: float) -> Any:
    """Return the gradient of each entry of the differences of two rows; 0 where they are equal."""
    gradient, result = gradient.unsqueeze(-1), result.unsqueeze(-1)
    if p == 1:
        return gradient * difference.sign()
    return (gradient / result).masked_fill(result == 0, 0) * difference
