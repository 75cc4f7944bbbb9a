"""Cases of a head as two maps, scores and writings (Elhage et al., 2021), biases included."""

from typing import Any

import torch

from bottomup.exercises.engine import case, normal, tensor
from bottomup.exercises.engine.named_tensors import compare_named
from bottomup.i18n import _


def random(
    head: int,
    num_heads: int,
    d_model: int,
    d_head: int,
    d_value: int,
    dtype: torch.dtype | None = None,
) -> dict[str, Any]:
    """Return the inputs for a head whose maps are drawn."""
    narrow, wide = num_heads * d_head, num_heads * d_value
    return {
        "head": head,
        "num_heads": num_heads,
        "W_Q": normal(narrow, d_model, dtype=dtype),
        "b_Q": normal(narrow, dtype=dtype),
        "W_K": normal(narrow, d_model, dtype=dtype),
        "b_K": normal(narrow, dtype=dtype),
        "W_V": normal(wide, d_model, dtype=dtype),
        "b_V": normal(wide, dtype=dtype),
        "W_O": normal(d_model, wide, dtype=dtype),
    }


CASES = (
    case(
        _("the second of two heads, of width one"),
        head=1,
        num_heads=2,
        W_Q=tensor([[9.0, 9.0], [1.0, 2.0]]),
        b_Q=tensor([9.0, 3.0]),
        W_K=tensor([[9.0, 9.0], [1.0, 0.0]]),
        b_K=tensor([9.0, 2.0]),
        W_V=tensor([[9.0, 9.0], [0.0, 1.0]]),
        b_V=tensor([9.0, 5.0]),
        W_O=tensor([[9.0, 1.0], [9.0, 3.0]]),
        gives=(
            # (1, 2, 3) of the query times (1, 0, 2) of the key
            tensor([[1.0, 0.0, 2.0], [2.0, 0.0, 4.0], [3.0, 0.0, 6.0]]),
            # (0, 1, 5) of the value times (1, 3)
            tensor([[0.0, 0.0], [1.0, 3.0], [5.0, 15.0]]),
        ),
    ),
    case(
        _("one head, and a stream of one number"),
        head=0,
        num_heads=1,
        W_Q=tensor([[2.0]]),
        b_Q=tensor([1.0]),
        W_K=tensor([[3.0]]),
        b_K=tensor([-1.0]),
        W_V=tensor([[4.0]]),
        b_V=tensor([5.0]),
        W_O=tensor([[2.0]]),
        # (2, 1) of the query times (3, -1) of the key; (4, 5) of the value times 2
        gives=(tensor([[6.0, -2.0], [3.0, -1.0]]), tensor([[8.0], [10.0]])),
    ),
    case(_("a head in the middle"), seed=1, **random(1, 3, 5, 2, 7)),
    case(_("the last head"), seed=2, **random(4, 5, 7, 3, 2)),
    case(_("two heads of width one, square maps"), seed=3, **random(0, 2, 2, 1, 1)),
    case(_("three heads, square maps"), seed=4, **random(1, 3, 6, 2, 2)),
    case(_("heads wider than the stream"), seed=5, **random(0, 2, 3, 11, 5)),
    case(_("as wide as there are heads"), seed=6, **random(2, 3, 7, 3, 3)),
    case(_("float64"), seed=7, **random(3, 5, 11, 2, 3, torch.float64)),
)

compare = compare_named("W_QK", "W_OV")
