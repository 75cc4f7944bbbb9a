"""Exercise: the additive score of Bahdanau, Cho and Bengio (2015, appendix A.1.2)."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.attention.additive_score_mistakes import MISCONCEPTIONS
from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.i18n import _

STUB = '''\
def additive_scores(query, key, W_a, U_a, v_a):
    """Score every query against every key: v_a · tanh(W_a q_i + U_a k_j).

    query [batch, query, d_query], key [batch, key, d_key],
    W_a [d_attention, d_query], U_a [d_attention, d_key], v_a [d_attention].
    Returns scores [batch, query, key], of the same dtype.
    """
    ...
'''


def additive_scores(
    query: torch.Tensor,
    key: torch.Tensor,
    W_a: torch.Tensor,
    U_a: torch.Tensor,
    v_a: torch.Tensor,
) -> torch.Tensor:
    projected_query = (query @ W_a.T)[:, :, None]  # [batch, query, 1, d_attention]
    projected_key = (key @ U_a.T)[:, None]  # [batch, 1, key, d_attention]
    return torch.tanh(projected_query + projected_key) @ v_a


def with_einsum(query: Tensor, key: Tensor, W_a: Tensor, U_a: Tensor, v_a: Tensor) -> Tensor:
    queries = torch.einsum("bqd,ad->bqa", query, W_a)
    keys = torch.einsum("bkd,ad->bka", key, U_a)
    return torch.einsum("bqka,a->bqk", torch.tanh(queries.unsqueeze(2) + keys.unsqueeze(1)), v_a)


def with_linear(query: Tensor, key: Tensor, W_a: Tensor, U_a: Tensor, v_a: Tensor) -> Tensor:
    linear = torch.nn.functional.linear
    hidden = torch.tanh(linear(query, W_a).unsqueeze(2) + linear(key, U_a).unsqueeze(1))
    return linear(hidden, v_a[None]).squeeze(-1)


def with_loops(query: Tensor, key: Tensor, W_a: Tensor, U_a: Tensor, v_a: Tensor) -> Tensor:
    rows = [
        [[v_a @ torch.tanh(W_a @ q + U_a @ k) for k in keys] for q in queries]
        for queries, keys in zip(query, key, strict=True)
    ]
    return torch.stack([torch.stack([torch.stack(row) for row in sentence]) for sentence in rows])


def _random(*sizes: int, double: bool = False) -> Callable[[torch.Generator], Inputs]:
    batch, queries, keys, d_query, d_key, d_attention = sizes
    dtype = torch.float64 if double else torch.float32

    def make(generator: torch.Generator) -> Inputs:
        options: dict[str, Any] = {"generator": generator, "dtype": dtype}
        return {
            "query": torch.randn(batch, queries, d_query, **options),
            "key": torch.randn(batch, keys, d_key, **options),
            "W_a": torch.randn(d_attention, d_query, **options),
            "U_a": torch.randn(d_attention, d_key, **options),
            "v_a": torch.randn(d_attention, **options),
        }

    return make


def _hand(generator: torch.Generator) -> Inputs:
    return {
        "query": torch.tensor([[[1.0], [-1.0]]]),
        "key": torch.tensor([[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]]),
        "W_a": torch.tensor([[1.0], [2.0]]),
        "U_a": torch.tensor([[1.0, 0.0], [0.0, 1.0]]),
        "v_a": torch.tensor([2.0, -1.0]),
    }


def _all_of_width_two(generator: torch.Generator) -> Inputs:
    return {
        "query": torch.tensor([[[1.0, 0.0], [0.0, 1.0]]]),
        "key": torch.tensor([[[0.0, 0.0], [1.0, 0.0]]]),
        "W_a": torch.tensor([[0.0, 1.0], [0.0, 2.0]]),
        "U_a": torch.tensor([[1.0, 0.0], [-1.0, 0.0]]),
        "v_a": torch.tensor([2.0, 1.0]),
    }


def _with_gradients(generator: torch.Generator) -> Inputs:
    return {name: tensor.requires_grad_() for name, tensor in _hand(generator).items()}


def _long_vectors(generator: torch.Generator) -> Inputs:
    inputs = _random(1, 2, 3, 5, 7, 2)(generator)
    return {**inputs, "query": 100 * inputs["query"], "key": 100 * inputs["key"]}


CASES = (
    Case(_("two queries, three keys, width two"), _hand),
    Case(_("two queries, two keys, all widths two"), _all_of_width_two),
    Case(_("a batch"), _random(2, 3, 5, 7, 11, 13), seed=1),
    Case(_("more queries than keys"), _random(2, 7, 3, 11, 5, 2), seed=2),
    Case(_("queries and keys of one width"), _random(2, 3, 5, 7, 7, 11), seed=3),
    Case(_("all widths equal, as many queries as keys"), _random(2, 3, 3, 5, 5, 5), seed=4),
    Case(_("one query and one key"), _random(3, 1, 1, 2, 5, 7), seed=5),
    Case(_("float64"), _random(2, 3, 5, 7, 2, 3, double=True), seed=6),
    Case(_("long vectors, where tanh saturates"), _long_vectors, seed=7),
    Case(_("the gradients of a small case"), _with_gradients),
)

ADDITIVE_SCORE = Exercise(
    slug="additive-score",
    title=_("The additive score"),
    chapter="01",
    difficulty=2,
    minutes=15,
    stub=STUB,
    hints=(
        _(
            "Write it first for one query and one key. Which three shapes meet in v_a · tanh(W_a q "
            "+ U_a k)?"
        ),
        _(
            "Project all queries with `query @ W_a.T`, all keys with `key @ U_a.T`: both end in "
            "d_attention."
        ),
        _(
            "Every query meets every key by broadcasting: [batch, query, 1, d_attention] + "
            "[batch, 1, key, d_attention]."
        ),
        _("`a[:, :, None] + b[:, None]`, then tanh, then `@ v_a`, which sums over the last axis."),
    ),
    solution=additive_scores,
    alternatives=(with_einsum, with_linear, with_loops),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
)
