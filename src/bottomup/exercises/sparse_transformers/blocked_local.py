"""Exercise: attention within blocks, without the table of all pairs (Child et al., section 5.5)."""

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Mistake
from bottomup.exercises.sparse_transformers.cost import compare, counting_on
from bottomup.exercises.sparse_transformers.groups import (
    Answer,
    Attend,
    attention,
    blocks,
    columns,
    counted,
    dense,
    earlier_hidden,
    everything_allowed,
    given,
    grouped,
    hidden_after_softmax,
    joined,
    means,
    number_of_blocks,
    own_hidden,
    own_hidden_by_a_number,
    own_hidden_with_nan,
    random,
    turned_and_joined,
    weight_mistakes,
    whole,
    with_gradients,
    zero_for_the_hidden,
)
from bottomup.i18n import _


def attend_in_blocks(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, block: int) -> torch.Tensor:
    q, k, v = (x.unflatten(1, (-1, block)) for x in (q, k, v))  # [head, block, place, d]
    scores = q @ k.mT / q.shape[-1] ** 0.5  # [head, block, place, place]
    later = torch.ones_like(scores, dtype=torch.bool).triu(1)
    weights = scores.masked_fill(later, -torch.inf).softmax(dim=-1)
    return (weights @ v).flatten(1, 2)


def with_torch(q: Tensor, k: Tensor, v: Tensor, block: int) -> Tensor:
    q, k, v = (torch.stack(x.split(block, dim=1)) for x in (q, k, v))
    return torch.cat(F.scaled_dot_product_attention(q, k, v, is_causal=True).unbind(), dim=1)


def with_a_loop(q: Tensor, k: Tensor, v: Tensor, block: int) -> Tensor:
    output = torch.empty_like(v)
    for i in range(q.shape[1]):
        own = slice(i - i % block, i + 1)
        scores = (k[:, own] * q[:, i : i + 1]).sum(-1) * q.shape[-1] ** -0.5
        output[:, i] = torch.einsum("hj,hjv->hv", scores.softmax(-1), v[:, own])
    return output


def with_einsum(q: Tensor, k: Tensor, v: Tensor, block: int) -> Tensor:
    heads, n, d = q.shape
    q, k, v = (x.reshape(heads * n // block, block, x.shape[-1]) for x in (q / d**0.5, k, v))
    scores = torch.einsum("gid,gjd->gij", q, k)
    exponentials = torch.exp(scores - scores.amax(-1, keepdim=True)).tril()
    weights = exponentials / exponentials.sum(-1, keepdim=True)
    return torch.einsum("gij,gjv->giv", weights, v).reshape(heads, n, v.shape[-1])


# ---- Mistakes: the triangle, the cost, the weights, the cut

HAND = _("six positions in blocks of two, queries zero: means of the values so far")
HAND_SCORES = _("four positions in blocks of two, d = 4")
COST = _("512 positions in blocks of 8: how much is computed")


def _in_blocks(attend: Attend) -> Answer:
    return grouped(blocks, joined, attend)


def _exchanged(q: Tensor, k: Tensor, v: Tensor, block: int) -> Tensor:
    return grouped(blocks, joined)(k, q, v, block)


def _same_block(i: Tensor, j: Tensor, block: int) -> Tensor:
    return i // block == j // block


CAUSALITY = (
    Mistake("later-positions-read", _in_blocks(attention(everything_allowed)), case=HAND),
    Mistake(
        "zero-for-minus-infinity", _in_blocks(attention(zero_for_the_hidden)), case=HAND_SCORES
    ),
    Mistake("mask-after-softmax", _in_blocks(attention(hidden_after_softmax)), case=HAND),
    Mistake("past-hidden", _in_blocks(attention(earlier_hidden)), case=HAND),
    Mistake(
        "own-position-hidden",
        _in_blocks(attention(own_hidden)),
        (
            _in_blocks(attention(own_hidden_with_nan)),
            _in_blocks(attention(own_hidden_by_a_number)),
        ),
        case=HAND,
    ),
)

COSTS = (
    Mistake(
        "dense-under-a-mask",
        dense(lambda i, j, block: (j <= i) & _same_block(i, j, block)),
        case=COST,
    ),
)

WEIGHTS = weight_mistakes(_in_blocks, _exchanged, hand=HAND, hand_scores=HAND_SCORES)

CUTS = (
    Mistake("block-is-the-number-of-blocks", grouped(number_of_blocks, joined), case=HAND),
    Mistake(
        "every-so-many-positions",
        grouped(columns, turned_and_joined),
        (
            grouped(lambda x, size: number_of_blocks(x, size).transpose(1, 2), turned_and_joined),
            grouped(columns, joined),
        ),
        case=HAND,
    ),
    Mistake("blocks-not-cut", grouped(whole, lambda x: x), case=HAND),
    Mistake(
        "window-for-the-block",
        dense(lambda i, j, block: (j <= i) & (i - j < block)),
        (dense(lambda i, j, block: (j <= i) & (i - j <= block)),),
        case=HAND,
    ),
    Mistake(
        "block-before-too",
        dense(lambda i, j, block: (j <= i) & (i // block - j // block <= 1)),
        case=HAND,
    ),
    Mistake("earlier-blocks-too", dense(lambda i, j, block: j // block <= i // block), case=HAND),
)

MISTAKES = (*CAUSALITY, *COSTS, *WEIGHTS, *CUTS)


# ---- Cases

_SIZE = "block"

CASES = (
    Case(HAND, means(_SIZE, [10.0, 20.0, 30.0, 40.0, 50.0, 60.0], 2)),
    Case(HAND_SCORES, given(_SIZE, [1.0, 2.0, 3.0, 4.0], [0.0, 8.0, 0.0, 8.0], 2, 4)),
    Case(_("three blocks of five"), random(_SIZE, 2, 3, 5, 7, 3), seed=1),
    Case(_("as many blocks as places"), random(_SIZE, 2, 5, 5, 3, 7), seed=2),
    Case(_("as many heads as blocks"), random(_SIZE, 3, 3, 7, 2, 2), seed=3),
    Case(_("one block"), random(_SIZE, 2, 1, 7, 5, 3), seed=4),
    Case(_("blocks of one"), random(_SIZE, 2, 7, 1, 5, 3), seed=5),
    Case(_("float64"), random(_SIZE, 3, 2, 5, 11, 7, dtype=torch.float64), seed=6),
    Case(COST, counted(_SIZE, 8), seed=7),
    Case(
        _("gradients"),
        with_gradients(random(_SIZE, 1, 2, 3, 2, 2, dtype=torch.float64)),
        seed=8,
    ),
)

ANSWERS = Answers(
    solution=attend_in_blocks,
    alternatives=(with_torch, with_a_loop, with_einsum),
    mistakes=MISTAKES,
    cases=CASES,
    run=counting_on(COST, attend_in_blocks),
    compare=compare,
)
