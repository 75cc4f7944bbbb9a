"""What lies in the middle of the numbers of a line, or at any share of them."""

import math
from collections.abc import Sequence
from typing import Any

from smalltorch import dtypes
from smalltorch.autograd import record
from smalltorch.extremes import picked, refuse_empty
from smalltorch.geometry import axes_of, axis_of
from smalltorch.lines import ALL, lines, reduced_shape
from smalltorch.ordering import order_of
from smalltorch.overrides import operation
from smalltorch.refusal import not_here
from smalltorch.tensor import Tensor, made, values

FUNCTIONS = METHODS = "median quantile"


@operation
def median(input: Tensor, dim: Any = ALL, keepdim: bool = False) -> Any:
    """Return the number in the middle, the lower of two; along an axis, with its place."""
    if input.dtype is dtypes.bool_:
        raise NotImplementedError("\"median_cpu\" not implemented for 'Bool'")
    if dim is not ALL:
        axis = axis_of(dim, input.ndim)
        refuse_empty("median", input, (axis,))
        found = list(map(_middle_place, lines(input, (axis,)[: input.ndim])))
        return picked("median", input, axis, found, keepdim)
    if keepdim is not False:
        raise TypeError('median() missing 1 required positional arguments: "dim"')
    numbers = values(input)
    number = numbers[_middle_place(numbers)] if len(numbers) else math.nan
    result = made((number,), (), input.dtype)

    def rule(gradient: Tensor, input: Any, result: Any) -> Any:
        chosen = (input == result) | (input.isnan() & result.isnan())
        return gradient * chosen / chosen.sum()

    return record(result, "Median", (input, rule, input, result))


def _middle_place(line: Sequence[Any]) -> int:
    unordered = [place for place, number in enumerate(line) if number != number]
    return unordered[0] if unordered else order_of(line, stable=True)[(len(line) - 1) // 2]


@operation
def quantile(
    input: Tensor, q: Any, dim: Any = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Any:
    """Return the number below which a share q of the numbers lies."""
    if input.dtype not in (dtypes.float32, dtypes.float64):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    shares = values(q) if isinstance(q, Tensor) else [float(q)]
    if not all(0 <= share <= 1 for share in shares):
        raise RuntimeError("quantile() q must be in the range [0, 1]")
    if interpolation != "linear":
        raise not_here(f"torch.quantile(interpolation={interpolation!r})")
    axes = axes_of(dim, input.ndim)
    rows: Any = input.reshape(-1) if dim is None else input.movedim(axis_of(dim, input.ndim), -1)
    ordered = rows.sort(-1).values  # nan is the largest
    ranks = [share * (ordered.shape[-1] - 1) for share in shares]
    low, high = (ordered[..., list(map(end, ranks))] for end in (math.floor, math.ceil))
    weights = made((rank % 1 for rank in ranks), (len(ranks),), input.dtype)
    found = low.lerp(high, weights).masked_fill(ordered[..., -1:].isnan(), math.nan)
    found = found.movedim(-1, 0).reshape(len(ranks), *reduced_shape(input.shape, axes, keepdim))
    return found if isinstance(q, Tensor) and q.shape else found[0]
