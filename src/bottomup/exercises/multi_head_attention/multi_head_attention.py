"""Exercise: multi-head attention from given weights (Vaswani et al., 2017, section 3.2.2)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from math import inf
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.named_tensors import compare_named
from bottomup.i18n import _
from bottomup.masks import causal_mask, padding_mask


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


Pair = tuple[Tensor, Tensor]


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


# ---- One step in another way: what the mistakes are made of

Answer = Callable[..., Pair]


def split(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)


def merge(heads: Tensor) -> Tensor:
    return heads.transpose(1, 2).flatten(2)


def apply(x: Tensor, matrix: Tensor) -> Tensor:
    return x @ matrix.T


def project(x: Tensor, matrix: Tensor, num_heads: int) -> Tensor:
    return split(x @ matrix.T, num_heads)


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(~mask[:, None], -inf)


@dataclass(frozen=True)
class Steps:
    """The steps of multi-head attention; a mistake replaces one of them.

    Args:
        project: from positions and a map to heads, for queries, keys and values.
        sources: chooses what queries, keys and values are made of.
        divisor: the number by which the scores are divided, from d_model, num_heads and d_head.
        mask_scores: what a mask does to the scores.
        normalise: from scores to weights.
        merge: from heads to one width.
        mix: applies W_O.
        returned: what of the weights is returned.
    """

    project: Callable[[Tensor, Tensor, int], Tensor] = project
    sources: Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor, Tensor]] = (
        lambda query, key, value: (query, key, value)
    )
    divisor: Callable[[int, int, int], float] = lambda d_model, num_heads, d_head: d_head**0.5
    mask_scores: Callable[[Tensor, Tensor], Tensor] = mask_scores
    normalise: Callable[[Tensor], Tensor] = lambda scores: scores.softmax(-1)
    merge: Callable[[Tensor], Tensor] = merge
    mix: Callable[[Tensor, Tensor], Tensor] = apply
    returned: Callable[[Tensor], Tensor] = lambda weights: weights

    def __call__(
        self, query: Tensor, key: Tensor, value: Tensor,
        W_Q: Tensor, W_K: Tensor, W_V: Tensor, W_O: Tensor,
        num_heads: int, mask: Tensor | None = None,
    ) -> Pair:  # fmt: skip
        """Return output and weights."""
        sources = self.sources(query, key, value)
        q, k, v = (
            self.project(x, matrix, num_heads)
            for x, matrix in zip(sources, (W_Q, W_K, W_V), strict=True)
        )
        scores = q @ k.mT / self.divisor(query.shape[-1], num_heads, q.shape[-1])
        if mask is not None:
            scores = self.mask_scores(scores, mask)
        weights = self.normalise(scores)
        return self.mix(self.merge(weights @ v), W_O), self.returned(weights)


RIGHT = Steps()


def with_step(**changed: Callable[..., object]) -> Answer:
    """Return the right steps with some replaced."""
    return replace(RIGHT, **changed)  # type: ignore[arg-type]


# ---- Mistakes: from scores to weights, one map for each head

AS_MANY = _("as many sequences as heads, with a mask")


def _repeated(scores: Tensor, mask: Tensor) -> Tensor:
    in_turn = mask.repeat(scores.shape[1], 1, 1).reshape(scores.shape)
    return scores.masked_fill(~in_turn, -inf)


def _shared(summary: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """One map for all heads, a summary over the heads' axis."""
    return lambda x: summary(x).expand_as(x)


def _mean(x: Tensor) -> Tensor:
    return x.mean(1, keepdim=True)


def _sum(x: Tensor) -> Tensor:
    return x.sum(1, keepdim=True)


def _one_map_returned(*changed: Callable[[Tensor], Tensor]) -> tuple[Answer, ...]:
    """Attention whose scores are joined before the softmax, with the map returned once."""
    return tuple(
        with_step(
            normalise=lambda scores, change=change: _shared(change)(scores).softmax(-1),
            returned=lambda weights: weights[:, 0],
        )
        for change in changed
    )


def _masked(change: Callable[[Tensor, Tensor], Tensor], zeros: bool = False) -> Answer:
    """A wrong mask; where that leaves a row nothing, its weights are NaN, or zeros."""
    if not zeros:
        return with_step(mask_scores=change)
    return with_step(mask_scores=change, normalise=lambda scores: scores.softmax(-1).nan_to_num())


def _inverted(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(mask[:, None], -inf)


def _weights_masked_late(*inputs: Tensor) -> Pair:
    if len(inputs) < 9:
        return with_step()(*inputs)
    mask = inputs[8]
    late = with_step(
        mask_scores=lambda scores, mask: scores,
        normalise=lambda scores: scores.softmax(-1) * mask[:, None],
    )
    return late(*inputs)


MASKING = (
    Mistake(
        "mask-without-head-axis",
        _masked(lambda scores, mask: scores.masked_fill(~mask, -inf)),
        (_masked(_repeated),),
        case=AS_MANY,
    ),
    Mistake("mask-ignored", _masked(lambda scores, mask: scores)),
    Mistake("masked-scores-zero", _masked(lambda scores, mask: scores * mask[:, None])),
    Mistake("mask-inverted", _masked(_inverted), (_masked(_inverted, zeros=True),)),
    Mistake("mask-after-softmax", _weights_masked_late),
)

JOINING = (
    Mistake(
        "maps-averaged-before-softmax",
        with_step(normalise=lambda scores: _shared(_mean)(scores).softmax(-1)),
        (
            with_step(normalise=lambda scores: _shared(_sum)(scores).softmax(-1)),
            *_one_map_returned(_mean, _sum),
        ),
    ),
    Mistake(
        "maps-averaged-after-softmax",
        with_step(normalise=lambda scores: _shared(_mean)(scores.softmax(-1))),
        (
            with_step(
                normalise=lambda scores: _shared(_mean)(scores.softmax(-1)),
                returned=lambda weights: weights[:, 0],
            ),
        ),
    ),
    Mistake(
        "maps-averaged-on-return",
        with_step(returned=lambda weights: weights.mean(1)),
        (with_step(returned=lambda weights: weights.mean(1, keepdim=True)),),
    ),
    Mistake("heads-after-queries", with_step(returned=lambda weights: weights.transpose(1, 2))),
    Mistake(
        "softmax-over-heads",
        with_step(normalise=lambda scores: scores.softmax(1)),
        (with_step(normalise=lambda scores: scores.softmax(1).nan_to_num()),),
    ),
    Mistake(
        "softmax-over-queries",
        with_step(normalise=lambda scores: scores.softmax(-2)),
        (with_step(normalise=lambda scores: scores.softmax(-2).nan_to_num()),),
    ),
)


# ---- Mistakes: heads, maps, scale, and the last map W_O

NARROW_VALUES = _("values narrower than keys")


def _input_sliced(x: Tensor, matrix: Tensor, num_heads: int) -> Tensor:
    """Head h sees its slice of the input only, through the block of the map that fits it."""
    columns = x.shape[-1] // num_heads
    slices = x[..., : columns * num_heads].chunk(num_heads, -1)
    rows = matrix.chunk(num_heads)
    blocks = (block[:, h * columns : (h + 1) * columns] for h, block in enumerate(rows))
    heads = [piece @ block.T for piece, block in zip(slices, blocks, strict=True)]
    return torch.stack(heads, dim=1)


def _unprojected(x: Tensor, matrix: Tensor, num_heads: int) -> Tensor:
    return split(x, num_heads)


def _viewed(x: Tensor, matrix: Tensor, num_heads: int) -> Tensor:
    projected = x @ matrix.T
    return projected.reshape(*projected.shape[:1], num_heads, projected.shape[1], -1)


def _viewed_back(heads: Tensor) -> Tensor:
    batch, num_heads, n, d_value = heads.shape
    return heads.reshape(batch, n, num_heads * d_value)


def _in_turn(x: Tensor, matrix: Tensor, num_heads: int) -> Tensor:
    return (x @ matrix.T).unflatten(-1, (-1, num_heads)).permute(0, 3, 1, 2)


def _merged_in_turn(heads: Tensor) -> Tensor:
    return heads.permute(0, 2, 3, 1).flatten(2)


def _untransposed(x: Tensor, matrix: Tensor, num_heads: int) -> Tensor:
    return split(x @ matrix, num_heads)


def _plain(x: Tensor, matrix: Tensor) -> Tensor:
    return x @ matrix


def _unmixed(read: Tensor, matrix: Tensor) -> Tensor:
    return read


def _from_keys(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return query, key, key


def _from_queries(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return query, query, query


def _scaled_by_values(*inputs: Any) -> Pair:
    W_V, num_heads = inputs[5], inputs[7]
    d_value = len(W_V) // num_heads
    return with_step(divisor=lambda d_model, num_heads, d_head: d_value**0.5)(*inputs)


def _width_of_the_model(added: bool, by_columns: bool) -> Answer:
    """A loop over heads that takes d_model // num_heads rows of each map.

    The heads are added, each through its columns of W_O, or put beside each other. The scores are
    scaled by the columns that a head has got, which are fewer at the end of a narrow map, or not.
    """

    def wrong(
        query: Tensor, key: Tensor, value: Tensor,
        W_Q: Tensor, W_K: Tensor, W_V: Tensor, W_O: Tensor,
        num_heads: int, mask: Tensor | None = None,
    ) -> Pair:  # fmt: skip
        width, read, weights = query.shape[-1] // num_heads, [], []
        places = [slice(h * width, (h + 1) * width) for h in range(num_heads)]
        for own in places:
            q, k, v = query @ W_Q[own].T, key @ W_K[own].T, value @ W_V[own].T
            scores = q @ k.mT / (q.shape[-1] if by_columns else width) ** 0.5
            scores = scores if mask is None else scores.masked_fill(~mask, -torch.inf)
            weights.append(scores.softmax(-1))
            read.append(weights[-1] @ v)
        if added:
            output = sum(head @ W_O[:, own].T for head, own in zip(read, places, strict=True))
        else:
            output = torch.cat(read, -1) @ W_O.T
        return output, torch.stack(weights, 1)

    return wrong


HEADS = (
    Mistake(
        "heads-slice-the-input",
        with_step(project=_input_sliced),
        (
            with_step(project=_unprojected),
            with_step(project=lambda x, matrix, h: _unprojected(x, matrix, h)[..., : len(matrix)]),
        ),
    ),
    Mistake(
        "view-without-transpose",
        with_step(project=_viewed),
        (with_step(project=_viewed, merge=_viewed_back),),
    ),
    Mistake("merge-without-transpose", with_step(merge=_viewed_back)),
    Mistake(
        "every-so-many-columns",
        with_step(project=_in_turn),
        (with_step(project=_in_turn, merge=_merged_in_turn),),
    ),
    Mistake("merge-in-turn", with_step(merge=_merged_in_turn)),
)

MAPS = (
    Mistake(
        "map-untransposed",
        with_step(project=_untransposed, mix=_plain),
        (with_step(project=_untransposed), with_step(mix=_plain)),
    ),
    Mistake("values-from-the-query", with_step(sources=_from_queries)),
    Mistake("values-from-the-keys", with_step(sources=_from_keys)),
    Mistake("output-map-missing", with_step(mix=_unmixed)),
)

SCALES = (
    Mistake(
        "root-of-d-model",
        with_step(divisor=lambda d_model, num_heads, d_head: d_model**0.5),
        (with_step(divisor=lambda d_model, num_heads, d_head: (num_heads * d_head) ** 0.5),),
    ),
    Mistake(
        "width-of-the-model",
        with_step(divisor=lambda d_model, num_heads, d_head: (d_model // num_heads) ** 0.5),
        (
            with_step(divisor=lambda d_model, num_heads, d_head: (d_model / num_heads) ** 0.5),
            *(_width_of_the_model(*choices) for choices in product((True, False), repeat=2)),
        ),
        case=NARROW_VALUES,
    ),
    Mistake(
        "root-of-num-heads",
        with_step(divisor=lambda d_model, num_heads, d_head: num_heads**0.5),
        (with_step(divisor=lambda d_model, num_heads, d_head: num_heads),),
    ),
    Mistake("root-of-d-value", _scaled_by_values, case=NARROW_VALUES),
    Mistake("no-scale", with_step(divisor=lambda d_model, num_heads, d_head: 1)),
    Mistake("root-missing", with_step(divisor=lambda d_model, num_heads, d_head: d_head)),
)

MISTAKES = (*HEADS, *MAPS, *SCALES, *MASKING, *JOINING)


# ---- Cases

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
_CAUSAL = causal_mask(4).expand(2, 4, 4)
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

ANSWERS = Answers(
    solution=multi_head_attention,
    alternatives=(with_einsum, with_a_sum_over_heads, with_torch),
    mistakes=MISTAKES,
    cases=CASES,
    compare=compare_named("output", "weights"),
)
