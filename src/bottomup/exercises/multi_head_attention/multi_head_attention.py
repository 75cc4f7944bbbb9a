"""Exercise: multi-head attention from given weights (Vaswani et al., 2017, section 3.2.2)."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.multi_head_attention.multi_head_attention_mistakes import (
    MISCONCEPTIONS,
    NARROW_VALUES,
)
from bottomup.exercises.multi_head_attention.multi_head_attention_parts import Pair
from bottomup.exercises.multi_head_attention.multi_head_attention_weights import AS_MANY
from bottomup.exercises.named_tensors import compare_named
from bottomup.i18n import _
from bottomup.masks import causal_mask, padding_mask

STUB = '''\
def multi_head_attention(
    query, key, value, W_Q, W_K, W_V, W_O, num_heads, mask=None
):
    """Attend in each head, put what they read side by side, mix with W_O.

    query [batch, query, d_model], key and value [batch, key, d_model];
    W_Q, W_K [num_heads * d_head, d_model], W_V [num_heads * d_value,
    d_model], W_O [d_model, num_heads * d_value]: head 1 has the first rows
    of W_Q, W_K and W_V. mask: None, or boolean [batch, query, key], True =
    may attend, the same for all heads; every query may attend somewhere.
    Returns (output, weights): [batch, query, d_model] and
    [batch, num_heads, query, key].
    """
    ...
'''


def multi_head_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor, W_O: torch.Tensor,
    num_heads: int, mask: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
    maps = (query @ W_Q.T, key @ W_K.T, value @ W_V.T)
    q, k, v = (x.unflatten(-1, (num_heads, -1)).transpose(1, 2) for x in maps)
    scores = q @ k.mT / q.shape[-1] ** 0.5  # [batch, head, query, key]
    if mask is not None:
        scores = scores.masked_fill(~mask[:, None], -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return (weights @ v).transpose(1, 2).flatten(2) @ W_O.T, weights


def with_einsum(
    query: Tensor, key: Tensor, value: Tensor,
    W_Q: Tensor, W_K: Tensor, W_V: Tensor, W_O: Tensor,
    num_heads: int, mask: Tensor | None = None,
) -> Pair:  # fmt: skip
    W_Q, W_K, W_V = (matrix.unflatten(0, (num_heads, -1)) for matrix in (W_Q, W_K, W_V))
    q = torch.einsum("bqm,hdm->bhqd", query, W_Q)
    k = torch.einsum("bkm,hdm->bhkd", key, W_K)
    v = torch.einsum("bkm,hvm->bhkv", value, W_V)
    scores = torch.einsum("bhqd,bhkd->bhqk", q * W_Q.shape[1] ** -0.5, k)
    if mask is not None:
        scores = scores.where(mask.unsqueeze(1), -torch.inf)
    weights = scores.softmax(-1)
    output = W_O.unflatten(1, (num_heads, -1))
    return torch.einsum("bhqk,bhkv,mhv->bqm", weights, v, output), weights


def with_a_sum_over_heads(
    query: Tensor, key: Tensor, value: Tensor,
    W_Q: Tensor, W_K: Tensor, W_V: Tensor, W_O: Tensor,
    num_heads: int, mask: Tensor | None = None,
) -> Pair:  # fmt: skip
    output, weights = torch.zeros_like(query), []
    rows = zip(*(matrix.chunk(num_heads) for matrix in (W_Q, W_K, W_V)), strict=True)
    columns = W_O.chunk(num_heads, dim=1)
    for (of_query, of_key, of_value), out in zip(rows, columns, strict=True):
        scores = (query @ of_query.T) @ (key @ of_key.T).mT / len(of_query) ** 0.5
        scores = scores if mask is None else scores.masked_fill(~mask, -torch.inf)
        weights.append(scores.softmax(-1))
        output = output + weights[-1] @ (value @ of_value.T) @ out.T
    return output, torch.stack(weights, dim=1)


def with_torch(
    query: Tensor, key: Tensor, value: Tensor,
    W_Q: Tensor, W_K: Tensor, W_V: Tensor, W_O: Tensor,
    num_heads: int, mask: Tensor | None = None,
) -> Pair:  # fmt: skip
    q, k, v = (
        torch.stack(torch.nn.functional.linear(x, W).chunk(num_heads, -1), 1)
        for x, W in ((query, W_Q), (key, W_K), (value, W_V))
    )
    shared = None if mask is None else mask[:, None]
    attention = torch.nn.functional.scaled_dot_product_attention
    heads = attention(q, k, v, attn_mask=shared)
    units = torch.eye(k.shape[-2], dtype=k.dtype).expand(*k.shape[:-1], -1)
    weights = attention(q, k, units, attn_mask=shared)
    return torch.cat(heads.unbind(1), -1) @ W_O.T, weights


Make = Callable[[torch.Generator], Inputs]


def _random(
    batch: int, num_heads: int, queries: int, keys: int, d_model: int, d_head: int, d_value: int,
    dtype: torch.dtype = torch.float32,
) -> Make:  # fmt: skip
    """Positions and maps whose scores spread over one or two."""

    def make(generator: torch.Generator) -> Inputs:
        def draw(*shape: int) -> Tensor:
            return torch.randn(shape, generator=generator, dtype=dtype)

        return {
            "query": draw(batch, queries, d_model),
            "key": draw(batch, keys, d_model),
            "value": draw(batch, keys, d_model),
            "W_Q": draw(num_heads * d_head, d_model) / d_model**0.5,
            "W_K": draw(num_heads * d_head, d_model) / d_model**0.5 * 1.5,
            "W_V": draw(num_heads * d_value, d_model),
            "W_O": draw(d_model, num_heads * d_value),
            "num_heads": num_heads,
        }

    return make


def _with_mask(make: Make, mask: Tensor) -> Make:
    def masked(generator: torch.Generator) -> Inputs:
        return {**make(generator), "mask": mask.clone()}

    return masked


def _of_one_sequence(make: Make) -> Make:
    def of_one(generator: torch.Generator) -> Inputs:
        inputs = dict(make(generator))
        return {**inputs, "key": inputs["query"].clone(), "value": inputs["query"].clone()}

    return of_one


def _hand(generator: torch.Generator) -> Inputs:
    # head 1 compares first numbers, head 2 second ones; d_head = 1
    x = torch.tensor([[[0.0, 1.0], [1.0, 0.0]]])
    return {
        "query": x,
        "key": x.clone(),
        "value": 10 * x,
        "W_Q": torch.tensor([[2.0, 0.0], [0.0, 3.0]]),
        "W_K": torch.eye(2),
        "W_V": torch.tensor([[1.0, 0.0], [1.0, 1.0]]),
        "W_O": torch.tensor([[1.0, 2.0], [0.0, 1.0]]),
        "num_heads": 2,
    }


_PADDED = padding_mask(torch.tensor([3, 7]), 7).expand(2, 5, 7)
_CAUSAL = causal_mask(4)[None]
_LENGTHS = padding_mask(torch.tensor([2, 5, 3]), 5).expand(3, 4, 5)

CASES = (
    Case(_("two positions, two heads of width one"), _hand),
    Case(_("two positions under a causal mask"), _with_mask(_hand, causal_mask(2)[None])),
    Case(NARROW_VALUES, _random(1, 2, 2, 2, 2, 2, 1), seed=11),
    Case(_("self-attention with square maps"),
         _of_one_sequence(_random(1, 2, 4, 4, 4, 2, 2)), seed=1),
    Case(_("a batch"), _random(2, 3, 5, 7, 11, 2, 5), seed=2),
    Case(_("padding, the same for all heads"), _with_mask(_random(2, 3, 5, 7, 6, 2, 2), _PADDED),
         seed=3),
    Case(_("a causal mask for every sequence"),
         _with_mask(_of_one_sequence(_random(2, 3, 4, 4, 6, 2, 5)), _CAUSAL), seed=4),
    Case(AS_MANY, _with_mask(_random(3, 3, 4, 5, 6, 2, 2), _LENGTHS), seed=5),
    Case(_("as many queries as keys from another sequence"), _random(2, 5, 3, 3, 10, 2, 2), seed=6),
    Case(_("as many positions as heads"), _random(2, 3, 3, 3, 6, 2, 7), seed=7),
    Case(_("one head"), _random(2, 1, 5, 3, 7, 11, 2), seed=8),
    Case(_("one query and one key"), _random(2, 3, 1, 1, 6, 5, 2), seed=9),
    Case(_("float64"), _random(2, 2, 3, 5, 7, 3, 2, torch.float64), seed=10),
)  # fmt: skip

MULTI_HEAD_ATTENTION = Exercise(
    slug="multi-head-attention",
    title=_("Multi-head attention from given weights"),
    chapter="03",
    difficulty=3,
    minutes=20,
    stub=STUB,
    hints=(
        _(
            "Write the shapes of the three projections, of the split heads, of the scores and of "
            "the merged result in a comment before you write any code."
        ),
        _(
            "Project with all heads at once, `query @ W_Q.T`, and split what comes out. From there "
            "on the heads are a batch axis: one product gives the scores of all of them."
        ),
        _(
            "How wide is the vector of one head? Read it off the rows of W_Q, not off d_model. "
            "That is what the scores are scaled by."
        ),
        _(
            "The mask lacks the axis of the heads: `mask[:, None]`. Merge what the heads have read "
            "with a transpose and a flatten, and apply W_O last."
        ),
    ),
    solution=multi_head_attention,
    alternatives=(with_einsum, with_a_sum_over_heads, with_torch),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    compare=compare_named("output", "weights"),
)
