"""Mistakes in the softmax over the source positions that a mask allows."""

from collections.abc import Callable
from itertools import product
from math import inf

import torch
from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

SECTION = _("Masked softmax")
NOTHING_MASKED = _("nothing masked")
TWO_SENTENCES = _("two sentences in float64")
LARGE_SCORES = _("large scores")
FAR_BELOW = _("allowed scores far below zero")
FAR_ABOVE = _("a masked score far above the others")
Finish = Callable[[Tensor, Tensor], Tensor]


def _fill(scores: Tensor, mask: Tensor, value: float = -inf) -> Tensor:
    return scores.masked_fill(~mask, value)


def _guard(weights: Tensor, mask: Tensor) -> Tensor:
    return torch.where(mask.any(dim=-1, keepdim=True), weights, 0)


def _as_they_are(weights: Tensor, mask: Tensor) -> Tensor:
    return weights


def _without_nan(weights: Tensor, mask: Tensor) -> Tensor:
    return weights.nan_to_num()


def _uniform(weights: Tensor, mask: Tensor) -> Tensor:
    return torch.where(mask.any(dim=-1, keepdim=True), weights, 1 / weights.shape[-1])


def _added_logarithm(scores: Tensor, mask: Tensor) -> Tensor:
    return (scores + mask.log()).softmax(-1)


def _added_infinity(finish: Finish) -> Callable[..., Tensor]:
    """-inf times 1 where masked and, by mistake, times 0 where allowed."""
    return lambda scores, mask: finish((scores + ~mask * -inf).softmax(-1), mask)


def _quotient(scores: Tensor, mask: Tensor) -> Tensor:
    allowed = _fill(scores, mask)
    largest = allowed.amax(dim=-1, keepdim=True).nan_to_num(neginf=0.0)
    exponentials = (scores - largest).clamp(max=0).exp() * mask
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


def _over_axis(axis: int) -> tuple[Callable[..., Tensor], ...]:
    """Four ways to take the softmax over another axis: they differ where all of it is masked."""
    return (
        lambda scores, mask: _fill(scores, mask).softmax(axis).nan_to_num(),
        lambda scores, mask: _fill(scores, mask).softmax(axis),
        lambda scores, mask: _guard(_fill(scores, mask).softmax(axis), mask),
        lambda scores, mask: _fill(scores, mask, -1e9).softmax(axis),
    )


def _renormalised(scores: Tensor, mask: Tensor, floor: float = 0.0) -> Tensor:
    weights = scores.softmax(-1) * mask
    return weights / (weights.sum(-1, keepdim=True) + floor)


def _unshifted(multiplied: bool, floor: float, finish: Finish) -> Callable[..., Tensor]:
    """exp(score) over its sum plus `floor`, masked by a product or by -inf."""

    def wrong(scores: Tensor, mask: Tensor) -> Tensor:
        exponentials = scores.exp() * mask if multiplied else _fill(scores, mask).exp()
        weights = exponentials / (exponentials.sum(-1, keepdim=True) + floor)
        return finish(weights, mask)

    return wrong


FINISHES: tuple[Finish, ...] = (_as_they_are, _guard, _without_nan)
QUERY_AXIS, BATCH_AXIS = (*_over_axis(-2), *_over_axis(1)), _over_axis(0)
OVERFLOW = [_unshifted(*way) for way in product((False, True), (0.0, 1e-9), FINISHES)]

MISCONCEPTIONS = (
    Misconception(
        "query-axis",
        QUERY_AXIS[0],
        _(
            "The softmax runs over the queries, so each column sums to one, not each row. Target "
            "words then compete for a source word: a word that nobody needs still hands out a full "
            "weight, and a target word may read from nowhere. Normalise the last axis."
        ),
        SECTION,
        QUERY_AXIS[1:],
        case=NOTHING_MASKED,
    ),
    Misconception(
        "batch-axis",
        BATCH_AXIS[0],
        _(
            "The softmax runs over the first axis, the batch, so the sentences of a batch share "
            "one budget of weight. The translation of a sentence then changes with its neighbours "
            "in the batch. Normalise the last axis."
        ),
        SECTION,
        BATCH_AXIS[1:],
        case=TWO_SENTENCES,
    ),
    Misconception(
        "mask-ignored",
        lambda scores, mask: scores.softmax(-1),
        _(
            "The mask has no effect: padding gets weight like any word. The decoder then reads "
            "padding as if it were part of the sentence, and the same sentence gives other weights "
            "whenever its batch is padded further."
        ),
        SECTION,
        (lambda scores, mask: _guard(scores.softmax(-1), mask),),
    ),
    Misconception(
        "mask-after-softmax",
        lambda scores, mask: scores.softmax(-1) * mask,
        _(
            "The mask comes after the softmax: the masked weights are zero, but the rest no longer "
            "sums to one. The weight that padding took is lost, so the context vector shrinks as "
            "the padding grows. Mask the scores, then take the softmax."
        ),
        SECTION,
    ),
    Misconception(
        "inverted-mask",
        lambda scores, mask: _guard(_fill(scores, ~mask).softmax(-1).nan_to_num(), mask),
        _(
            "The mask is read the wrong way round: True means may attend, and your weights lie "
            "where it is False. The decoder then reads padding and nothing else, and attention "
            "tells it nothing about the words. Fill the scores where the mask is False."
        ),
        SECTION,
        (
            lambda scores, mask: _fill(scores, ~mask).softmax(-1).nan_to_num(),
            lambda scores, mask: _guard(_fill(scores, ~mask).softmax(-1), mask),
            lambda scores, mask: _guard(_fill(scores, ~mask).softmax(-1), ~mask),
            lambda scores, mask: _fill(scores, ~mask).softmax(-1),
            lambda scores, mask: _fill(scores, ~mask, -1e9).softmax(-1),
        ),
    ),
    Misconception(
        "uniform-empty-row",
        lambda scores, mask: _fill(scores, mask, -1e9).softmax(-1),
        _(
            "A row with nothing allowed comes out uniform, where zeros are expected: that query "
            "reads the mean of what it must not see. A large negative fill such as -1e9 does this, "
            "since all scores of the row are then equal. Set the weights of such a row to zero."
        ),
        SECTION,
        (lambda scores, mask: _uniform(_fill(scores, mask).softmax(-1), mask),),
    ),
    Misconception(
        "finite-fill",
        lambda scores, mask: _guard(_fill(scores, mask, -1e6).softmax(-1), mask),
        _(
            "Where the allowed scores lie far below zero, the allowed positions lose their weight "
            "to a masked one. Filling with a finite number such as -1e6 does this: a real score "
            "below the fill loses to it. Fill with -inf, which is below every number."
        ),
        SECTION,
        (
            lambda scores, mask: _fill(scores, mask, -1e6).softmax(-1),
            lambda scores, mask: _fill(scores, mask, -1e6).softmax(-1) * mask,
            lambda scores, mask: _fill(scores, mask, -1e4).softmax(-1),
            lambda scores, mask: _guard(_fill(scores, mask, -1e4).softmax(-1), mask),
        ),
        case=FAR_BELOW,
    ),
    Misconception(
        "all-for-any",
        lambda scores, mask: torch.where(
            mask.all(dim=-1, keepdim=True), _fill(scores, mask).softmax(-1), 0
        ),
        _(
            "A row comes out as zeros as soon as one of its positions is masked: `mask.all` asks "
            "whether everything is allowed. Every sentence with padding then reads nothing. Only a "
            "row in which nothing is allowed needs zeros; `mask.any` finds the others."
        ),
        SECTION,
    ),
    Misconception(
        "nan-row",
        lambda scores, mask: _fill(scores, mask).softmax(-1),
        _(
            "A row with nothing allowed is filled with -inf throughout, and its softmax is 0/0, "
            "NaN. One such row is enough: the loss becomes NaN, and after one update every weight "
            "of the model is NaN. Give such a row zeros."
        ),
        SECTION,
    ),
    Misconception(
        "masked-score-zero",
        lambda scores, mask: (scores * mask).softmax(-1),
        _(
            "A masked position counts with the score 0, which is a score like any other: e^0 = 1. "
            "Multiplying the scores by the mask does this, and so does filling them with 0. Such a "
            "position beats every word whose score is negative. It needs the score -inf."
        ),
        SECTION,
        (
            lambda scores, mask: _guard((scores * mask).softmax(-1), mask),
            lambda scores, mask: _guard((scores * mask).softmax(-1), mask) * mask,
        ),
    ),
    Misconception(
        "mask-added-to-the-scores",
        lambda scores, mask: (scores + mask).softmax(-1),
        _(
            "The weights are those of scores + mask: True counts as 1, False as 0. An allowed "
            "position gains a factor of e = 2.7, and a masked one keeps its weight. What is added "
            "must be 0 where the mask is True and -inf where it is False."
        ),
        SECTION,
        (
            lambda scores, mask: _guard((scores + mask).softmax(-1), mask),
            lambda scores, mask: (scores + mask).softmax(-1) * mask,
        ),
    ),
    Misconception(
        "infinity-times-zero",
        _added_infinity(_as_they_are),
        _(
            "-inf is multiplied by the inverted mask, to be added to the scores. Where the mask "
            "allows, that is 0 · (-inf), which is NaN and no zero, and one NaN makes the whole row "
            "NaN. `masked_fill` puts -inf where the mask is False and leaves the rest alone."
        ),
        SECTION,
        tuple(_added_infinity(finish) for finish in (_guard, _without_nan)),
    ),
    Misconception(
        "masked-scores-in-the-sum",
        _renormalised,
        _(
            "The masked scores are removed too late: the exponentials are already scaled by the "
            "largest score of the row, masked ones included. Where a masked score stands far above "
            "the others, all allowed weights round to zero before they are renormalised, and "
            "nothing is left to scale up. Mask first."
        ),
        SECTION,
        (
            lambda scores, mask: _guard(_renormalised(scores, mask), mask),
            lambda scores, mask: _renormalised(scores, mask).nan_to_num(),
            lambda scores, mask: _renormalised(scores, mask, 1e-9),
        ),
        case=FAR_ABOVE,
    ),
    Misconception(
        "overflow",
        OVERFLOW[0],
        _(
            "The exponentials are taken of the scores as they are. In float32, e^x is infinite "
            "from x = 89 on and zero below -104, and the quotient is NaN. Scores grow during "
            "training, and the first one that large turns the loss into NaN. Subtract the largest "
            "allowed score of the row first."
        ),
        SECTION,
        tuple(OVERFLOW[1:]),
        case=LARGE_SCORES,
    ),
    Misconception(
        "nan-gradient",
        lambda scores, mask: _added_logarithm(scores, mask).nan_to_num(),
        _(
            "The values are right, but the gradient is NaN in a row with nothing allowed: the NaN "
            "is replaced in the weights, and still arises on the way back. One such row turns all "
            "weights of the model to NaN at the next update. `masked_fill` stops it: it passes no "
            "gradient to a score that it replaced."
        ),
        SECTION,
        (
            lambda scores, mask: _guard(_added_logarithm(scores, mask), mask),
            lambda scores, mask: _quotient(scores, mask).nan_to_num(),
            lambda scores, mask: _guard(_quotient(scores, mask), mask),
        ),
    ),
)
