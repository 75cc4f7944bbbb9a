"""Attention with one thing wrong: what the named mistakes are made of."""

from collections.abc import Callable
from math import inf

import torch
from torch import Tensor

Pair = tuple[Tensor, Tensor]
Answer = Callable[..., Pair]
Normalise = Callable[[Tensor, Tensor], Tensor]  # scores and mask -> weights


def dots(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.mT


def fill(scores: Tensor, mask: Tensor, value: float = -inf) -> Tensor:
    return scores.masked_fill(~mask, value)


def guard(weights: Tensor, mask: Tensor) -> Tensor:
    return torch.where(mask.any(dim=-1, keepdim=True), weights, 0)


def right(scores: Tensor, mask: Tensor) -> Tensor:
    return guard(fill(scores, mask).softmax(-1), mask)


def everything(scores: Tensor, mask: Tensor | None) -> Tensor:
    return torch.ones_like(scores, dtype=torch.bool) if mask is None else mask


def divided_by(divisor: Callable[[Tensor, Tensor, Tensor], float]) -> Answer:
    """Right but for the number by which the scores are divided."""

    def wrong(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Pair:
        scores = dots(query, key) / divisor(query, key, value)
        weights = right(scores, everything(scores, mask))
        return weights @ value, weights

    return wrong


def normalised(normalise: Normalise) -> Answer:
    """Right but for the way from scores and mask to weights."""

    def wrong(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Pair:
        scores = dots(query, key) / query.shape[-1] ** 0.5
        weights = normalise(scores, everything(scores, mask))
        return weights @ value, weights

    return wrong


right_answer = normalised(right)
