"""Exercise: attention to every l-th position back, by a transpose (Child et al., section 5.5)."""

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
    distant_columns,
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


def attend_along_columns(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, stride: int
) -> torch.Tensor:
    # [head, n, d] -> [head, row, column, d] -> [head, column, row, d]
    q, k, v = (x.unflatten(1, (-1, stride)).transpose(1, 2) for x in (q, k, v))
    scores = q @ k.mT / q.shape[-1] ** 0.5  # [head, column, row, row]
    later = torch.ones_like(scores, dtype=torch.bool).triu(1)
    weights = scores.masked_fill(later, -torch.inf).softmax(dim=-1)
    return (weights @ v).transpose(1, 2).flatten(1, 2)


def with_slices(q: Tensor, k: Tensor, v: Tensor, stride: int) -> Tensor:
    output = torch.empty_like(v)
    for column in range(stride):
        own = slice(column, None, stride)
        output[:, own] = F.scaled_dot_product_attention(
            q[:, own], k[:, own], v[:, own], is_causal=True
        )
    return output


def with_a_loop(q: Tensor, k: Tensor, v: Tensor, stride: int) -> Tensor:
    rows = []
    for i in range(q.shape[1]):
        own = torch.arange(i % stride, i + 1, stride)
        scores = torch.einsum("hd,hjd->hj", q[:, i], k[:, own]) / q.shape[-1] ** 0.5
        rows.append((scores.softmax(-1)[..., None] * v[:, own]).sum(1))
    return torch.stack(rows, dim=1)


def with_einsum(q: Tensor, k: Tensor, v: Tensor, stride: int) -> Tensor:
    q, k, v = (x.reshape(len(x), -1, stride, x.shape[-1]) for x in (q / q.shape[-1] ** 0.5, k, v))
    scores = torch.einsum("hicd,hjcd->hcij", q, k)
    row = torch.arange(q.shape[1])
    weights = scores.where(row <= row[:, None], -torch.inf).softmax(-1)
    return torch.einsum("hcij,hjcv->hicv", weights, v).flatten(1, 2)


# ---- Mistakes: the cut, the way back, the cost, the weights

HAND = _("six positions in rows of two, queries zero: means of the values so far")
HAND_SCORES = _("four positions in rows of two, d = 4")
COST = _("512 positions in rows of 64: how much is computed")


def _in_columns(attend: Attend) -> Answer:
    return grouped(columns, turned_and_joined, attend)


def _exchanged(q: Tensor, k: Tensor, v: Tensor, stride: int) -> Tensor:
    return grouped(columns, turned_and_joined)(k, q, v, stride)


def _features_first(x: Tensor, stride: int) -> Tensor:
    """[head, row, d, column]: what `.mT` makes of the table."""
    return blocks(x, stride).mT


def _without_the_first(q: Tensor, k: Tensor, v: Tensor, stride: int) -> Tensor:
    """Nobody reads position 0; it gets an output of zero, as a product over nothing is."""
    return dense(_column_to_one)(q, k, v, stride).nan_to_num()


def _column_to_one(i: Tensor, j: Tensor, stride: int) -> Tensor:
    return _column(i, j, stride) & (j > 0)


def _column(i: Tensor, j: Tensor, stride: int) -> Tensor:
    return (j <= i) & ((i - j) % stride == 0)


CUTS = (
    Mistake(
        "runs-of-neighbours",
        grouped(number_of_blocks, joined),
        (grouped(number_of_blocks, turned_and_joined),),
        case=HAND,
    ),
    Mistake(
        "rows-attended", grouped(blocks, joined), (grouped(blocks, turned_and_joined),), case=HAND
    ),
    Mistake(
        "columns-n-over-stride-apart",
        grouped(distant_columns, turned_and_joined),
        (grouped(distant_columns, joined),),
        case=HAND,
    ),
    Mistake(
        "not-transposed-back",
        grouped(columns, joined),
        (grouped(columns, lambda x: x.reshape(len(x), x.shape[2], x.shape[1], -1).flatten(1, 2)),),
        case=HAND,
    ),
    Mistake(
        "column-from-zero",
        dense(lambda i, j, stride: (j <= i) & (j % stride == 0)),
        (dense(lambda i, j, stride: (j <= i) & (j % stride == stride - 1)),),
        case=HAND,
    ),
    Mistake(
        "features-exchanged",
        grouped(_features_first, lambda x: x.mT.flatten(1, 2)),
        (
            grouped(
                _features_first,
                lambda x: x.mT.flatten(1, 2),
                attention(divisor=lambda q, v: q.shape[-2] ** 0.5),
            ),
            grouped(_features_first, turned_and_joined),
            grouped(_features_first, joined),
            grouped(columns, lambda x: x.mT.flatten(1, 2)),
            grouped(columns, lambda x: x.mT.reshape(len(x), -1, x.shape[-1])),
        ),
        case=HAND,
    ),
    Mistake("first-position-missing", _without_the_first, (dense(_column_to_one),), case=HAND),
    Mistake("columns-not-cut", grouped(whole, lambda x: x), case=HAND),
)

CAUSALITY = (
    Mistake("later-positions-read", _in_columns(attention(everything_allowed)), case=HAND),
    Mistake(
        "zero-for-minus-infinity", _in_columns(attention(zero_for_the_hidden)), case=HAND_SCORES
    ),
    Mistake("mask-after-softmax", _in_columns(attention(hidden_after_softmax)), case=HAND),
    Mistake("past-hidden", _in_columns(attention(earlier_hidden)), case=HAND),
    Mistake(
        "own-position-hidden",
        _in_columns(attention(own_hidden)),
        (
            _in_columns(attention(own_hidden_with_nan)),
            _in_columns(attention(own_hidden_by_a_number)),
        ),
        case=HAND,
    ),
)

COSTS = (Mistake("dense-under-a-mask", dense(_column), case=COST),)
WEIGHTS = weight_mistakes(_in_columns, _exchanged, hand=HAND, hand_scores=HAND_SCORES)
MISTAKES = (*CUTS, *CAUSALITY, *COSTS, *WEIGHTS)


# ---- Cases

_SIZE = "stride"

CASES = (
    Case(HAND, means(_SIZE, [10.0, 20.0, 30.0, 40.0, 50.0, 60.0], 2)),
    Case(HAND_SCORES, given(_SIZE, [1.0, 2.0, 3.0, 4.0], [0.0, 8.0, 8.0, 0.0], 2, 4)),
    Case(_("five rows of three"), random(_SIZE, 2, 5, 3, 7, 2), seed=1),
    Case(_("as many rows as columns"), random(_SIZE, 2, 5, 5, 3, 7), seed=2),
    Case(_("as many heads as columns"), random(_SIZE, 3, 7, 3, 2, 2), seed=3),
    Case(_("one column"), random(_SIZE, 2, 7, 1, 5, 3), seed=4),
    Case(_("one row"), random(_SIZE, 2, 1, 7, 5, 3), seed=5),
    Case(_("float64"), random(_SIZE, 3, 5, 2, 11, 7, dtype=torch.float64), seed=6),
    Case(COST, counted(_SIZE, 64), seed=7),
    Case(
        _("gradients"),
        with_gradients(random(_SIZE, 1, 3, 2, 2, 2, dtype=torch.float64)),
        seed=8,
    ),
)

ANSWERS = Answers(
    solution=attend_along_columns,
    alternatives=(with_slices, with_a_loop, with_einsum),
    mistakes=MISTAKES,
    cases=CASES,
    run=counting_on(COST, attend_along_columns),
    compare=compare,
)
