"""Exercise: softmax over the source positions that a mask allows."""

from collections.abc import Callable
from math import inf, log

import torch
from torch import Tensor

from bottomup.exercises.attention.masked_softmax_mistakes import (
    FAR_ABOVE,
    FAR_BELOW,
    LARGE_SCORES,
    MISCONCEPTIONS,
    NOTHING_MASKED,
    TWO_SENTENCES,
)
from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.i18n import _
from bottomup.masks import padding_mask

STUB = '''\
def masked_softmax(scores, mask):
    """Softmax over the source positions that the mask allows.

    scores [..., query, source]; mask: boolean, broadcastable to scores,
    True = may attend. Returns weights of the same shape and dtype, zero
    where the mask is False. A row in which nothing is allowed gives zeros.
    """
    ...
'''


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
