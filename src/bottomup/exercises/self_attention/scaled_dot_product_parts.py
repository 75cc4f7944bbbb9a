"""Attention with one thing wrong: what the named mistakes are made of."""

from collections.abc import Callable
from math import inf

import torch
from torch import Tensor

from bottomup.i18n import _

TWO_HEADS = _("two heads without a mask")

Pair = tuple[Tensor, Tensor]
Answer = Callable[..., Pair]
Normalise = Callable[[Tensor, Tensor], Tensor]  # scores and mask -> weights
Score = Callable[[Tensor, Tensor, Tensor], Tensor]  # query, key, value -> scores


def dots(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.mT


def fill(scores: Tensor, mask: Tensor, value: float = -inf) -> Tensor:
    return scores.masked_fill(~mask, value)


def guard(weights: Tensor, mask: Tensor) -> Tensor:
    return torch.where(mask.any(dim=-1, keepdim=True), weights, 0)


def right(scores: Tensor, mask: Tensor) -> Tensor:
    return guard(fill(scores, mask).softmax(-1), mask)


def nan_rows(scores: Tensor, mask: Tensor) -> Tensor:
    """Right but for a row in which nothing is allowed."""
    return fill(scores, mask).softmax(-1)


def uniform_rows(scores: Tensor, mask: Tensor) -> Tensor:
    """Right but for a row in which nothing is allowed, and for scores near the fill."""
    return fill(scores, mask, -1e9).softmax(-1)


def everything(scores: Tensor, mask: Tensor | None) -> Tensor:
    return torch.ones_like(scores, dtype=torch.bool) if mask is None else mask


def scored(score: Score, normalise: Normalise = right) -> Answer:
    """Right but for the scores, and for the way from scores and mask to weights if one is given."""

    def wrong(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Pair:
        scores = score(query, key, value)
        weights = normalise(scores, everything(scores, mask))
        return weights @ value, weights

    return wrong


def however_masked(score: Score) -> tuple[Answer, ...]:
    """Wrong scores: with right weights, with a row of NaN and with a row of equal weights."""
    return tuple(scored(score, normalise) for normalise in (right, nan_rows, uniform_rows))


def divided_by(divisor: Callable[[Tensor, Tensor, Tensor], Tensor | float]) -> Score:
    """Scores that are right but for what they are divided by."""
    return lambda query, key, value: dots(query, key) / divisor(query, key, value)


def normalised(normalise: Normalise) -> Answer:
    """Right but for the way from scores and mask to weights."""
    return scored(divided_by(lambda query, key, value: query.shape[-1] ** 0.5), normalise)


right_answer = normalised(right)
