"""Exercise: softmax over the source positions that a mask allows."""

from collections.abc import Callable
from itertools import product
from math import inf, log

import torch
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise, Inputs, Misconception
from bottomup.i18n import _
from bottomup.masks import padding_mask

SECTION = _("Masked softmax")
STUB = '''\
def masked_softmax(scores, mask):
    """Softmax over the source positions that the mask allows.

    scores [..., query, source]; mask: boolean, broadcastable to scores,
    True = may attend. Returns weights of the same shape and dtype, zero where
    the mask is False. A row in which nothing is allowed gives zeros.
    """
    ...
'''


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1)
    return torch.where(mask.any(dim=-1, keepdim=True), weights, 0)  # an empty row is NaN until here


def with_nan_to_num(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(scores.masked_fill(~mask, -inf), dim=-1).nan_to_num()


def with_exponentials(scores: Tensor, mask: Tensor) -> Tensor:
    allowed = scores.masked_fill(~mask, -inf)
    largest = allowed.amax(dim=-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).min)
    exponentials = torch.exp(allowed - largest)
    return exponentials / exponentials.sum(dim=-1, keepdim=True).clamp(min=1)


def with_loops(scores: Tensor, mask: Tensor) -> Tensor:
    source = scores.shape[-1]
    weights = torch.zeros(scores.numel() // source, source, dtype=scores.dtype)
    rows, masks = scores.reshape(-1, source), mask.expand(scores.shape).reshape(-1, source)
    for row, allowed in enumerate(masks):
        if allowed.any():
            weights[row, allowed] = torch.softmax(rows[row, allowed], dim=0)
    return weights.reshape(scores.shape)


def _fill(scores: Tensor, mask: Tensor, value: float = -inf) -> Tensor:
    return scores.masked_fill(~mask, value)


def _guard(weights: Tensor, mask: Tensor) -> Tensor:
    return torch.where(mask.any(dim=-1, keepdim=True), weights, 0)


def _over_axis(axis: int) -> tuple[Callable[..., Tensor], ...]:
    """Four ways to take the softmax over another axis: they differ where all of it is masked."""
    return (
        lambda scores, mask: _fill(scores, mask).softmax(axis).nan_to_num(),
        lambda scores, mask: _fill(scores, mask).softmax(axis),
        lambda scores, mask: _guard(_fill(scores, mask).softmax(axis), mask),
        lambda scores, mask: _fill(scores, mask, -1e9).softmax(axis),
    )


def _renormalised(scores: Tensor, mask: Tensor) -> Tensor:
    weights = scores.softmax(-1) * mask
    return weights / weights.sum(-1, keepdim=True)


def _unshifted(multiplied: bool, floor: float, guarded: bool) -> Callable[..., Tensor]:
    """exp(score) over its sum plus `floor`, masked by a product or by -inf."""

    def wrong(scores: Tensor, mask: Tensor) -> Tensor:
        exponentials = scores.exp() * mask if multiplied else _fill(scores, mask).exp()
        weights = exponentials / (exponentials.sum(-1, keepdim=True) + floor)
        return _guard(weights, mask) if guarded else weights

    return wrong


QUERY_AXIS, BATCH_AXIS = (*_over_axis(-2), *_over_axis(1)), _over_axis(0)
OVERFLOW = [_unshifted(*way) for way in product((False, True), (0.0, 1e-9), (False, True))]

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
        "finite-fill",
        lambda scores, mask: _fill(scores, mask, -1e9).softmax(-1),
        _(
            "Masked scores get a large negative number instead of minus infinity. In a row with "
            "nothing allowed all scores are then equal, and the weights are uniform over padding; "
            "and a real score below the fill loses to it. Fill with -inf and set empty rows to "
            "zero."
        ),
        SECTION,
        (
            lambda scores, mask: _fill(scores, mask, -1e6).softmax(-1),
            lambda scores, mask: _guard(_fill(scores, mask, -1e6).softmax(-1), mask),
            lambda scores, mask: _fill(scores, mask, -1e6).softmax(-1) * mask,
        ),
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
        "mask-times-scores",
        lambda scores, mask: (scores * mask).softmax(-1),
        _(
            "The scores are multiplied by the mask, so a masked score becomes 0, which is a score "
            "like any other: e^0 = 1. Padding keeps a weight, and it beats every word whose score "
            "is negative. A masked position needs the score -inf."
        ),
        SECTION,
        (lambda scores, mask: _guard((scores * mask).softmax(-1), mask),),
    ),
    Misconception(
        "masked-scores-in-the-sum",
        _renormalised,
        _(
            "The masked scores are removed too late: the softmax is already scaled by the largest "
            "score of the row, masked ones included. Where that one stands far above the others, "
            "all allowed weights round to zero, and renormalising divides zero by zero. Mask "
            "first."
        ),
        SECTION,
        (
            lambda scores, mask: _guard(_renormalised(scores, mask), mask),
            lambda scores, mask: _renormalised(scores, mask).nan_to_num(),
        ),
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
    ),
)


def _random(
    *shape: int, mask_shape: tuple[int, ...], double: bool = False
) -> Callable[..., Inputs]:
    dtype = torch.float64 if double else torch.float32

    def make(generator: torch.Generator) -> Inputs:
        mask = torch.rand(mask_shape, generator=generator) < 0.6
        mask[..., 0] = True
        return {"scores": 2 * torch.randn(shape, generator=generator, dtype=dtype), "mask": mask}

    return make


def _padded(generator: torch.Generator) -> Inputs:
    scores = 2 * torch.randn(3, 5, 7, generator=generator)
    return {"scores": scores, "mask": padding_mask(torch.tensor([7, 4, 2]))}


def _empty_row(generator: torch.Generator) -> Inputs:
    inputs = _random(2, 3, 5, mask_shape=(2, 3, 5))(generator)
    inputs["mask"][1, 2] = False
    return inputs


def _hand(scores: list[list[float]], mask: list[list[bool]]) -> Callable[..., Inputs]:
    return lambda generator: {"scores": torch.tensor(scores), "mask": torch.tensor(mask)}


_LAST_MASKED = [[True, True, False]]
CASES = (
    Case(
        _("two queries, the last of three source positions is padding"),
        _hand([[0.0, log(3), 5.0], [log(3), 0.0, 1.0]], _LAST_MASKED),
    ),
    Case(_("nothing masked"), _hand([[0.0, 1.0, 2.0], [2.0, -1.0, 0.0]], [[True, True, True]])),
    Case(_("a padded batch"), _padded, seed=1),
    Case(_("a mask for each pair"), _random(2, 3, 5, mask_shape=(2, 3, 5)), seed=2),
    Case(_("float64"), _random(2, 5, 3, mask_shape=(2, 1, 3), double=True), seed=3),
    Case(_("two leading axes"), _random(2, 3, 5, 7, mask_shape=(2, 1, 1, 7)), seed=4),
    Case(
        _("a row with nothing allowed"),
        _hand([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]], [[True, False, True], [False, False, False]]),
    ),
    Case(_("a batch with an empty row"), _empty_row, seed=5),
    Case(_("large scores"), _hand([[300.0, 301.0, 299.0], [-300.0, -301.0, -302.0]], _LAST_MASKED)),
    Case(
        _("allowed scores far below zero"),
        _hand([[-2e6, -2e6 + 1, 0.0], [-2e6 + 2, -2e6, 1.0]], _LAST_MASKED),
    ),
    Case(
        _("a masked score far above the others"),
        _hand([[0.0, 1.0, 300.0], [1.0, 0.0, 200.0]], _LAST_MASKED),
    ),
)

MASKED_SOFTMAX = Exercise(
    slug="masked-softmax",
    title=_("Masked softmax over the source"),
    chapter="01",
    difficulty=2,
    minutes=10,
    stub=STUB,
    hints=(
        _("Which score must a masked position have, so that e to that score is exactly zero?"),
        _(
            "Replace the masked scores by -inf before the softmax; `masked_fill` does it. True = "
            "may attend."
        ),
        _(
            "A row of -inf only has the softmax 0/0, NaN. `mask.any(dim=-1, keepdim=True)` finds "
            "such rows."
        ),
        _(
            "Two lines: a softmax over dim=-1 of the scores filled with -inf where ~mask, then "
            "`torch.where` with 0 for the rows in which nothing is allowed."
        ),
    ),
    solution=masked_softmax,
    alternatives=(with_nan_to_num, with_exponentials, with_loops),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
)
