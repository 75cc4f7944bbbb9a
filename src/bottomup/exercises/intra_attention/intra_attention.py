"""Exercise: the intra-sentence attention of Parikh et al. (2016, section 3.4)."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


def intra_attention(
    features: torch.Tensor, words: torch.Tensor, bias: torch.Tensor
) -> torch.Tensor:
    position = torch.arange(features.shape[1])
    r = len(bias) // 2
    offset = (position[:, None] - position).clamp(-r, r)  # i - j, [query, key]
    scores = features @ features.mT + bias[offset + r]
    return scores.softmax(dim=-1) @ words


def with_loops(features: Tensor, words: Tensor, bias: Tensor) -> Tensor:
    batch, n, r = features.shape[0], features.shape[1], len(bias) // 2
    scores = torch.zeros(batch, n, n, dtype=features.dtype)
    for b, i, j in torch.cartesian_prod(*map(torch.arange, scores.shape)).tolist():
        distance = max(-r, min(r, i - j))
        scores[b, i, j] = features[b, i] @ features[b, j] + bias[distance + r]
    exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)
    return torch.einsum("bij,bjd->bid", weights, words)


def with_torch_attention(features: Tensor, words: Tensor, bias: Tensor) -> Tensor:
    n, r = features.shape[1], len(bias) // 2
    reach = torch.arange(1 - n, n).clamp(-r, r) + r  # i - j from 1 - n to n - 1
    square = torch.stack([bias[reach[i : i + n]].flip(0) for i in range(n)])
    read = torch.nn.functional.scaled_dot_product_attention
    return read(features, features, words, square, scale=1.0)


# ---- One thing in another way: what the mistakes are made of

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


def clipped_too_soon(below: int, above: int) -> Callable[[Tensor, Tensor], Tensor]:
    """Clip so many steps too soon at the one end and at the other."""

    def square(offset: Tensor, bias: Tensor) -> Tensor:
        r = len(bias) // 2
        return bias[offset.clamp(below - r, r - above) + r]

    return square


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


# ---- Mistakes

LONG_SENTENCE = _("sentences longer than the biases reach")
ONE_WIDTH = _("features and words of equal width")
FLAT_BIAS = _("a bias of zeros")

MISTAKES = (
    Mistake("bias-of-j-minus-i", with_bias(lambda offset, bias: clipped(-offset, bias))),
    Mistake(
        "distance-without-sign",
        with_bias(lambda offset, bias: clipped(offset.abs(), bias)),
        (with_bias(lambda offset, bias: clipped(-offset.abs(), bias)),),
    ),
    Mistake("no-bias-beyond-the-ends", with_bias(zero_beyond), case=LONG_SENTENCE),
    Mistake(
        "clipped-too-soon",
        with_bias(clipped_too_soon(1, 1)),
        (with_bias(clipped_too_soon(0, 1)), with_bias(clipped_too_soon(1, 0))),
    ),
    Mistake("index-around-the-end", with_bias(around_the_end), case=LONG_SENTENCE),
    Mistake("far-words-masked", with_bias(window), case=LONG_SENTENCE),
    Mistake("centre-forgotten", with_bias(without_centre)),
    Mistake(
        "bias-missing", with_bias(lambda offset, bias: torch.zeros_like(offset, dtype=bias.dtype))
    ),
    Mistake("bias-after-the-softmax", after_softmax),
    Mistake("bias-as-a-factor", times_bias),
    Mistake("later-words-hidden", from_scores(past_only)),
    Mistake("softmax-over-queries", from_scores(over_axis(-2)), (from_scores(over_axis(0)),)),
    Mistake(
        "F-on-one-side",
        with_scores(lambda features, words: features @ words.mT),
        (with_scores(lambda features, words: words @ features.mT),),
        case=ONE_WIDTH,
    ),
    Mistake("F-unused", with_scores(lambda features, words: words @ words.mT)),
    Mistake("features-read", features_read),
    Mistake(
        "self-excluded",
        from_scores(without_self(-torch.inf)),
        (from_scores(without_self(-1e9)), from_scores(without_self_guarded)),
        case=FLAT_BIAS,
    ),
    Mistake("scaled", with_scores(scaled_product), (scaled_sum,)),
)


# ---- Cases


def _random(
    *sizes: int, double: bool = False, flat: bool = False
) -> Callable[[torch.Generator], Inputs]:
    batch, positions, d_feature, d_word, r = sizes
    dtype = torch.float64 if double else torch.float32

    def make(generator: torch.Generator) -> Inputs:
        options: dict[str, Any] = {"generator": generator, "dtype": dtype}
        bias = torch.zeros(2 * r + 1, dtype=dtype) if flat else torch.randn(2 * r + 1, **options)
        return {
            "features": torch.randn(batch, positions, d_feature, **options) / 2,
            "words": torch.randn(batch, positions, d_word, **options),
            "bias": bias,
        }

    return make


def _hand(generator: torch.Generator) -> Inputs:
    return {
        "features": torch.tensor([[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]]),
        "words": torch.tensor([[[1.0], [10.0], [100.0]]]),
        "bias": torch.tensor([0.0, -1.0, 1.0]),
    }


def _with_gradients(generator: torch.Generator) -> Inputs:
    return {name: tensor.requires_grad_() for name, tensor in _hand(generator).items()}


def _far_above(generator: torch.Generator) -> Inputs:
    inputs = _random(1, 5, 3, 2, 1)(generator)
    return {**inputs, "features": 20 * inputs["features"]}


CASES = (
    Case(_("three words, one bias for each side and one for the word itself"), _hand),
    Case(FLAT_BIAS, _random(1, 3, 2, 3, 1, flat=True), seed=1),
    Case(_("a batch of short sentences"), _random(2, 3, 7, 11, 5), seed=2),
    Case(LONG_SENTENCE, _random(2, 7, 3, 5, 2), seed=3),
    Case(ONE_WIDTH, _random(2, 5, 3, 3, 2), seed=4),
    Case(_("as many sentences as words, and equal widths"), _random(3, 3, 3, 3, 1), seed=5),
    Case(_("one word"), _random(2, 1, 3, 5, 2), seed=6),
    Case(_("one bias for everything"), _random(2, 5, 3, 2, 0), seed=7),
    Case(_("float64"), _random(2, 5, 7, 3, 2, double=True), seed=8),
    Case(_("large scores"), _far_above, seed=9),
    Case(_("the gradients of a small case"), _with_gradients),
)

ANSWERS = Answers(
    solution=intra_attention,
    alternatives=(with_loops, with_torch_attention),
    mistakes=MISTAKES,
    cases=CASES,
)
