"""Cases of multi-head attention from given weights."""

from math import exp
from typing import Any

import torch

from bottomup.exercises.engine import case, normal, tensor
from bottomup.exercises.engine.named_tensors import compare_named
from bottomup.i18n import _
from bottomup.masks import causal_mask, padding_mask

Dtype = torch.dtype | None


def sequences(
    batch: int, queries: int, keys: int, d_model: int, dtype: Dtype = None
) -> dict[str, Any]:
    """Queries of one sequence, keys and values of another."""
    return {
        "query": normal(batch, queries, d_model, dtype=dtype),
        "key": normal(batch, keys, d_model, dtype=dtype),
        "value": normal(batch, keys, d_model, dtype=dtype),
    }


def one_sequence(batch: int, n: int, d_model: int) -> dict[str, Any]:
    """Queries, keys and values that are one sequence."""
    x = torch.randn(batch, n, d_model, generator=torch.Generator().manual_seed(0))
    return {"query": x, "key": x, "value": x}


def maps(
    num_heads: int, d_model: int, d_head: int, d_value: int, dtype: Dtype = None
) -> dict[str, Any]:
    """Maps with which the scores spread over one or two."""
    return {
        "W_Q": normal(num_heads * d_head, d_model, scale=d_model**-0.5, dtype=dtype),
        "W_K": normal(num_heads * d_head, d_model, scale=1.5 * d_model**-0.5, dtype=dtype),
        "W_V": normal(num_heads * d_value, d_model, dtype=dtype),
        "W_O": normal(d_model, num_heads * d_value, dtype=dtype),
        "num_heads": num_heads,
    }


# head 1 compares first numbers, head 2 second ones; d_head = 1
BY_HAND: dict[str, Any] = {
    "query": tensor([[[0.0, 1.0], [1.0, 0.0]]]),
    "key": tensor([[[0.0, 1.0], [1.0, 0.0]]]),
    "value": tensor([[[0.0, 10.0], [10.0, 0.0]]]),
    "W_Q": tensor([[2.0, 0.0], [0.0, 3.0]]),
    "W_K": tensor([[1.0, 0.0], [0.0, 1.0]]),
    "W_V": tensor([[1.0, 0.0], [1.0, 1.0]]),
    "W_O": tensor([[1.0, 2.0], [0.0, 1.0]]),
    "num_heads": 2,
}
# head 1: queries 0, 2 and keys 0, 1, so scores 0, 0 and 0, 2; head 2: queries 3, 0 and keys 1, 0
ABOVE_2, ABOVE_3 = 1 / (1 + exp(-2)), 1 / (1 + exp(-3))

LOWEST = torch.finfo(torch.float32).min

CASES = (
    case(
        _("two positions, two heads of width one"),
        **BY_HAND,
        # head 1 reads 0 and 10, head 2 reads 10 everywhere; W_O gives head 1 + 2 head 2, and head 2
        gives=(
            tensor([[[25.0, 10.0], [20 + 10 * ABOVE_2, 10.0]]]),
            tensor([[[[0.5, 0.5], [1 - ABOVE_2, ABOVE_2]], [[ABOVE_3, 1 - ABOVE_3], [0.5, 0.5]]]]),
        ),
    ),
    case(
        _("two positions under a causal mask"),
        **BY_HAND,
        mask=tensor([[[True, False], [True, True]]]),
        # the first position reads itself: 0 in head 1, 10 in head 2
        gives=(
            tensor([[[20.0, 10.0], [20 + 10 * ABOVE_2, 10.0]]]),
            tensor([[[[1.0, 0.0], [1 - ABOVE_2, ABOVE_2]], [[1.0, 0.0], [0.5, 0.5]]]]),
        ),
    ),
    case(
        _("two positions under a causal mask, scores of 200 and of -3.4e38"),
        **BY_HAND | {"W_Q": tensor([[200.0, 0.0], [0.0, LOWEST]])},
        mask=tensor([[[True, False], [True, True]]]),
        # head 1: scores 0, 0 and 0, 200; head 2: LOWEST, 0 and 0, 0; each first row reads itself
        gives=(
            tensor([[[20.0, 10.0], [30.0, 10.0]]]),
            tensor([[[[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.5, 0.5]]]]),
        ),
    ),
    case(_("values narrower than keys"), seed=11, **sequences(1, 2, 2, 2), **maps(2, 2, 2, 1)),
    case(_("self-attention with square maps"), seed=1, **one_sequence(1, 4, 4), **maps(2, 4, 2, 2)),
    case(_("a batch"), seed=2, **sequences(2, 5, 7, 11), **maps(3, 11, 2, 5)),
    case(
        _("padding, the same for all heads"),
        seed=3,
        **sequences(2, 5, 7, 6),
        **maps(3, 6, 2, 2),
        mask=padding_mask(torch.tensor([3, 7])).repeat(1, 5, 1),
    ),
    case(
        _("a causal mask for every sequence"),
        seed=4,
        **one_sequence(2, 4, 6),
        **maps(3, 6, 2, 5),
        mask=causal_mask(4).repeat(2, 1, 1),
    ),
    case(
        _("as many sequences as heads, with a mask"),
        seed=5,
        **sequences(3, 4, 5, 6),
        **maps(3, 6, 2, 2),
        mask=padding_mask(torch.tensor([2, 5, 3])).repeat(1, 4, 1),
    ),
    case(
        _("as many queries as keys from another sequence"),
        seed=6,
        **sequences(2, 3, 3, 10),
        **maps(5, 10, 2, 2),
    ),
    case(_("as many positions as heads"), seed=7, **sequences(2, 3, 3, 6), **maps(3, 6, 2, 7)),
    case(_("one head"), seed=8, **sequences(2, 5, 3, 7), **maps(1, 7, 11, 2)),
    case(_("one query and one key"), seed=9, **sequences(2, 1, 1, 6), **maps(3, 6, 5, 2)),
    case(
        _("float64"),
        seed=10,
        **sequences(2, 3, 5, 7, torch.float64),
        **maps(2, 7, 3, 2, torch.float64),
    ),
)

compare = compare_named("output", "weights")
