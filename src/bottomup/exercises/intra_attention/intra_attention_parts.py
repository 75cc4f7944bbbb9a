"""Intra-sentence attention with one thing in another way: what the named mistakes are made of."""

from collections.abc import Callable

import torch
from torch import Tensor

Answer = Callable[[Tensor, Tensor, Tensor], Tensor]
Finish = Callable[[Tensor, Tensor], Tensor]


def offsets(features: Tensor) -> Tensor:
    position = torch.arange(features.shape[1])
    return position[:, None] - position  # i - j


def clipped(offset: Tensor, bias: Tensor) -> Tensor:
    r = len(bias) // 2
    return bias[offset.clamp(-r, r) + r]


def right(features: Tensor, bias: Tensor) -> Tensor:
    return features @ features.mT + clipped(offsets(features), bias)


def read(scores: Tensor, words: Tensor) -> Tensor:
    return scores.softmax(-1) @ words


def with_bias(square: Callable[[Tensor, Tensor], Tensor]) -> Answer:
    """A wrong answer whose square of biases comes from (offsets, bias) in another way."""

    def wrong(features: Tensor, words: Tensor, bias: Tensor) -> Tensor:
        return read(features @ features.mT + square(offsets(features), bias), words)

    return wrong


def with_scores(product: Callable[[Tensor, Tensor], Tensor]) -> Answer:
    """A wrong answer that compares something else than features with features."""

    def wrong(features: Tensor, words: Tensor, bias: Tensor) -> Tensor:
        return read(product(features, words) + clipped(offsets(features), bias), words)

    return wrong


def from_scores(finish: Finish) -> Answer:
    """A wrong answer that goes astray after the right scores."""
    return lambda features, words, bias: finish(right(features, bias), words)


def zero_beyond(offset: Tensor, bias: Tensor) -> Tensor:
    return torch.where(offset.abs() > len(bias) // 2, 0, clipped(offset, bias))


def clipped_too_soon(offset: Tensor, bias: Tensor) -> Tensor:
    reach = len(bias) // 2 - 1
    return bias[offset.clamp(-reach, reach) + reach + 1]


def around_the_end(offset: Tensor, bias: Tensor) -> Tensor:
    return bias[(offset + len(bias) // 2) % len(bias)]


def window(offset: Tensor, bias: Tensor) -> Tensor:
    return torch.where(offset.abs() > len(bias) // 2, -torch.inf, clipped(offset, bias))


def without_centre(offset: Tensor, bias: Tensor) -> Tensor:
    r = len(bias) // 2
    return bias[offset.clamp(-r, r)]


def past_only(scores: Tensor, words: Tensor) -> Tensor:
    later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return scores.masked_fill(later, -torch.inf).softmax(-1) @ words


def times_bias(features: Tensor, words: Tensor, bias: Tensor) -> Tensor:
    return read(features @ features.mT * clipped(offsets(features), bias), words)


def after_softmax(features: Tensor, words: Tensor, bias: Tensor) -> Tensor:
    weights = (features @ features.mT).softmax(-1) + clipped(offsets(features), bias)
    return weights @ words


def over_axis(axis: int) -> Finish:
    def finish(scores: Tensor, words: Tensor) -> Tensor:
        return scores.softmax(axis) @ words

    return finish


def without_self(fill: float) -> Finish:
    def finish(scores: Tensor, words: Tensor) -> Tensor:
        own = torch.eye(scores.shape[-1], dtype=torch.bool)
        return scores.masked_fill(own, fill).softmax(-1) @ words

    return finish


def without_self_guarded(scores: Tensor, words: Tensor) -> Tensor:
    return without_self(-torch.inf)(scores, words).nan_to_num()


def scaled_product(features: Tensor, words: Tensor) -> Tensor:
    return features @ features.mT / features.shape[-1] ** 0.5


def scaled_sum(features: Tensor, words: Tensor, bias: Tensor) -> Tensor:
    return read(right(features, bias) / features.shape[-1] ** 0.5, words)


def features_read(features: Tensor, words: Tensor, bias: Tensor) -> Tensor:
    return read(right(features, bias), features)
