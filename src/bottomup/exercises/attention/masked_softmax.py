"""Exercise: softmax over the source positions that a mask allows."""

from collections.abc import Callable
from itertools import product
from math import inf, log

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _
from bottomup.masks import padding_mask


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1)
    return torch.where(mask.any(dim=-1, keepdim=True), weights, 0)  # an empty row is NaN until here


def with_nan_to_num(scores: Tensor, mask: Tensor) -> Tensor:
    # the gradient of a masked score is zero whatever comes from above: masked_fill cuts off the NaN
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


# ---- Mistakes

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

MISTAKES = (
    Mistake("query-axis", QUERY_AXIS[0], QUERY_AXIS[1:], case=NOTHING_MASKED),
    Mistake("batch-axis", BATCH_AXIS[0], BATCH_AXIS[1:], case=TWO_SENTENCES),
    Mistake(
        "mask-ignored",
        lambda scores, mask: scores.softmax(-1),
        (lambda scores, mask: _guard(scores.softmax(-1), mask),),
    ),
    Mistake("mask-after-softmax", lambda scores, mask: scores.softmax(-1) * mask),
    Mistake(
        "inverted-mask",
        lambda scores, mask: _guard(_fill(scores, ~mask).softmax(-1).nan_to_num(), mask),
        (
            lambda scores, mask: _fill(scores, ~mask).softmax(-1).nan_to_num(),
            lambda scores, mask: _guard(_fill(scores, ~mask).softmax(-1), mask),
            lambda scores, mask: _guard(_fill(scores, ~mask).softmax(-1), ~mask),
            lambda scores, mask: _fill(scores, ~mask).softmax(-1),
            lambda scores, mask: _fill(scores, ~mask, -1e9).softmax(-1),
        ),
    ),
    Mistake(
        "uniform-empty-row",
        lambda scores, mask: _fill(scores, mask, -1e9).softmax(-1),
        (lambda scores, mask: _uniform(_fill(scores, mask).softmax(-1), mask),),
    ),
    Mistake(
        "finite-fill",
        lambda scores, mask: _guard(_fill(scores, mask, -1e6).softmax(-1), mask),
        (
            lambda scores, mask: _fill(scores, mask, -1e6).softmax(-1),
            lambda scores, mask: _fill(scores, mask, -1e6).softmax(-1) * mask,
            lambda scores, mask: _fill(scores, mask, -1e4).softmax(-1),
            lambda scores, mask: _guard(_fill(scores, mask, -1e4).softmax(-1), mask),
        ),
        case=FAR_BELOW,
    ),
    Mistake(
        "all-for-any",
        lambda scores, mask: torch.where(
            mask.all(dim=-1, keepdim=True), _fill(scores, mask).softmax(-1), 0
        ),
    ),
    Mistake("nan-row", lambda scores, mask: _fill(scores, mask).softmax(-1)),
    Mistake(
        "masked-score-zero",
        lambda scores, mask: (scores * mask).softmax(-1),
        (
            lambda scores, mask: _guard((scores * mask).softmax(-1), mask),
            lambda scores, mask: _guard((scores * mask).softmax(-1), mask) * mask,
        ),
    ),
    Mistake(
        "mask-added-to-the-scores",
        lambda scores, mask: (scores + mask).softmax(-1),
        (
            lambda scores, mask: _guard((scores + mask).softmax(-1), mask),
            lambda scores, mask: (scores + mask).softmax(-1) * mask,
        ),
    ),
    Mistake(
        "infinity-times-zero",
        _added_infinity(_as_they_are),
        tuple(_added_infinity(finish) for finish in (_guard, _without_nan)),
    ),
    Mistake(
        "masked-scores-in-the-sum",
        _renormalised,
        (
            lambda scores, mask: _guard(_renormalised(scores, mask), mask),
            lambda scores, mask: _renormalised(scores, mask).nan_to_num(),
            lambda scores, mask: _renormalised(scores, mask, 1e-9),
        ),
        case=FAR_ABOVE,
    ),
    Mistake("overflow", OVERFLOW[0], tuple(OVERFLOW[1:]), case=LARGE_SCORES),
    Mistake(
        "nan-gradient",
        lambda scores, mask: _added_logarithm(scores, mask).nan_to_num(),
        (
            lambda scores, mask: _guard(_added_logarithm(scores, mask), mask),
            lambda scores, mask: _quotient(scores, mask).nan_to_num(),
            lambda scores, mask: _guard(_quotient(scores, mask), mask),
        ),
    ),
)


# ---- Cases


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


def _with_gradient(generator: torch.Generator) -> Inputs:
    scores = torch.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]], requires_grad=True)
    mask = torch.tensor([[True, True, False], [False, False, False]])
    return {"scores": scores, "mask": mask}


_LAST_MASKED = [[True, True, False]]

CASES = (
    Case(
        _("two queries, the last of three source positions is padding"),
        _hand([[0.0, log(3), 5.0], [log(3), 0.0, 1.0]], _LAST_MASKED),
    ),
    Case(NOTHING_MASKED, _hand([[0.0, 1.0, 2.0], [2.0, -1.0, 0.0]], [[True, True, True]])),
    Case(_("a padded batch"), _padded, seed=1),
    Case(_("a mask for each pair"), _random(2, 3, 5, mask_shape=(2, 3, 5)), seed=2),
    Case(TWO_SENTENCES, _random(2, 5, 3, mask_shape=(2, 1, 3), double=True), seed=3),
    Case(_("two leading axes"), _random(2, 3, 5, 7, mask_shape=(2, 1, 1, 7)), seed=4),
    Case(
        _("a row with nothing allowed"),
        _hand([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]], [[True, False, True], [False, False, False]]),
    ),
    Case(_("a batch with an empty row"), _empty_row, seed=5),
    Case(LARGE_SCORES, _hand([[300.0, 301.0, 299.0], [-300.0, -301.0, -302.0]], _LAST_MASKED)),
    Case(
        FAR_BELOW,
        _hand([[-2e6, -2e6 + 1, 0.0], [-2e6 + 2, -2e6, 1.0]], _LAST_MASKED),
    ),
    Case(
        FAR_ABOVE,
        _hand([[0.0, 1.0, 300.0], [1.0, 0.0, 200.0]], _LAST_MASKED),
    ),
    Case(_("a row with nothing allowed, and its gradient"), _with_gradient),
)

ANSWERS = Answers(
    solution=masked_softmax,
    alternatives=(with_nan_to_num, with_exponentials, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
)
