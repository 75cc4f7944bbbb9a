"""Exercise: the intra-sentence attention of Parikh et al. (2016, section 3.4)."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.intra_attention.intra_attention_mistakes import (
    FLAT_BIAS,
    LONG_SENTENCE,
    MISCONCEPTIONS,
    ONE_WIDTH,
)
from bottomup.i18n import _

STUB = '''\
def intra_attention(features, words, bias):
    """Let every word read a weighted mean of all words of its sentence.

    scores[i, j] = features[i] · features[j] + d_{i-j}, softmax over j.
    bias [2r + 1] holds d_{-r}, ..., d_0, ..., d_r; a distance beyond r
    takes the entry at that end.

    features [batch, position, d_feature] are F(a_i), computed already,
    words [batch, position, d_word] are the a_i.
    Returns what each word reads, [batch, position, d_word].
    """
    ...
'''


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
    Case(_("as many sentences as words, and one width"), _random(3, 3, 3, 3, 1), seed=5),
    Case(_("one word"), _random(2, 1, 3, 5, 2), seed=6),
    Case(_("one bias for everything"), _random(2, 5, 3, 2, 0), seed=7),
    Case(_("float64"), _random(2, 5, 7, 3, 2, double=True), seed=8),
    Case(_("large scores"), _far_above, seed=9),
    Case(_("the gradients of a small case"), _with_gradients),
)

INTRA_ATTENTION = Exercise(
    slug="intra-attention",
    title=_("Intra-sentence attention with a distance bias"),
    chapter="02b",
    difficulty=3,
    minutes=15,
    stub=STUB,
    hints=(
        _(
            "Write the biases of three words as a square first: query i in rows, key j in columns, "
            "i - j in each cell. Which entry of `bias` belongs to i - j = 0?"
        ),
        _(
            "`position[:, None] - position` is that square. `clamp(-r, r)` sends what lies beyond "
            "to the ends, and adding r turns it into an index."
        ),
        _(
            "The scores are `features @ features.mT + bias[index]`. Both sides of the product are "
            "features; what is averaged are the words."
        ),
    ),
    solution=intra_attention,
    alternatives=(with_loops, with_torch_attention),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
)
