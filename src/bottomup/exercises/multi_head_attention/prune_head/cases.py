"""Cases of the removal of one head."""

from typing import Any

import torch

from bottomup.exercises.engine import case, normal, tensor
from bottomup.exercises.engine.named_tensors import compare_named
from bottomup.i18n import _


def heads(
    num_heads: int, d_model: int, d_head: int, d_value: int, dtype: torch.dtype | None = None
) -> dict[str, Any]:
    """The parameters of some heads."""
    return {
        "num_heads": num_heads,
        "W_Q": normal(num_heads * d_head, d_model, dtype=dtype),
        "W_K": normal(num_heads * d_head, d_model, dtype=dtype),
        "W_V": normal(num_heads * d_value, d_model, dtype=dtype),
        "b_V": normal(num_heads * d_value, dtype=dtype),
        "W_O": normal(d_model, num_heads * d_value, dtype=dtype),
        "b_O": normal(d_model, dtype=dtype),
    }


CASES = (
    case(
        _("the first of two heads"),
        head=0,
        num_heads=2,
        W_Q=tensor([[1.0, 2.0], [3.0, 4.0]]),
        W_K=tensor([[5.0, 6.0], [7.0, 8.0]]),
        W_V=tensor([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0]]),
        b_V=tensor([1.0, 2.0, 3.0, 4.0]),
        W_O=tensor([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]),
        b_O=tensor([9.0, 10.0]),
        gives=(
            tensor([[3.0, 4.0]]),
            tensor([[7.0, 8.0]]),
            tensor([[3.0, 3.0], [4.0, 4.0]]),
            tensor([3.0, 4.0]),
            tensor([[3.0, 4.0], [7.0, 8.0]]),
            tensor([9.0, 10.0]),
        ),
    ),
    case(_("a head in the middle"), seed=1, head=1, **heads(3, 5, 2, 7)),
    case(_("the last head"), seed=2, head=4, **heads(5, 7, 3, 2)),
    case(_("two heads of width one, square maps"), seed=3, head=0, **heads(2, 2, 1, 1)),
    case(_("three heads, square maps"), seed=8, head=1, **heads(3, 6, 2, 2)),
    case(_("heads of width one"), seed=4, head=2, **heads(5, 3, 1, 1)),
    case(_("as wide as there are heads"), seed=5, head=0, **heads(3, 7, 3, 3)),
    case(_("the second of two heads"), seed=6, head=1, **heads(2, 3, 5, 7)),
    case(_("float64"), seed=7, head=3, **heads(5, 11, 2, 3, torch.float64)),
)

compare = compare_named("W_Q", "W_K", "W_V", "b_V", "W_O", "b_O")
