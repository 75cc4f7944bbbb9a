"""Cases of a logit difference as a sum over what each part wrote (Elhage et al., 2021)."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Case, Inputs, case, tensor
from bottomup.exercises.engine.named_tensors import compare_named
from bottomup.i18n import _


def random(
    parts: int,
    sentences: int,
    d_model: int,
    vocabulary: int,
    *,
    size: float = 1.0,
    dtype: torch.dtype = torch.float32,
) -> Callable[[torch.Generator], Inputs]:
    """Two different tokens for each sentence; the streams have a mean, and several lengths."""

    def make(generator: torch.Generator) -> Inputs:
        def draw(*shape: int) -> Tensor:
            return torch.randn(shape, generator=generator, dtype=dtype)

        right = torch.randint(vocabulary, (sentences,), generator=generator)
        step = torch.randint(1, vocabulary, (sentences,), generator=generator)
        lengths = size * torch.linspace(0.5, 2, sentences, dtype=dtype)[:, None]
        return {
            "parts": lengths * (draw(parts, sentences, d_model) + draw(parts, sentences, 1)),
            "gain": 1 + 0.5 * draw(d_model),
            "bias": draw(d_model),
            "W_U": draw(vocabulary, d_model) + draw(vocabulary, 1),
            "b_U": draw(vocabulary),
            "right": right,
            "wrong": (right + step) % vocabulary,
        }

    return make


NORM_AND_WORDS: dict[str, Any] = {  # of the two cases by hand
    "gain": tensor([1.0, 2.0, 1.0]),
    "bias": tensor([0.0, 1.0, 3.0]),
    "W_U": tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 2.0]]),
    "b_U": tensor([2.0, 0.5]),
    "right": tensor([0]),
    "wrong": tensor([1]),
}

CASES = (
    case(
        _("two parts, three components"),
        parts=tensor([[[1.0, 0.0, 2.0]], [[2.0, -1.0, -1.0]]]),
        **NORM_AND_WORDS,
        # the stream is (3, -1, 1), its mean 1 and its variance 8/3; the parts without their means
        # are (0, -1, 1) and (2, -1, -1), and gain times direction is (1, -2, -2)
        gives=(tensor([[0.0], [6 / (8 / 3 + 1e-5) ** 0.5]]), tensor([-7 + 1.5])),
    ),
    case(
        _("a stream with a large mean"),
        parts=tensor([[[300.0, 301.0, 302.0]], [[2.0, -1.0, -1.0]]]),
        **NORM_AND_WORDS,
        # the stream is (302, 300, 301), its variance 2/3; the parts without their means are
        # (-1, 0, 1) and (2, -1, -1), and gain times direction is (1, -2, -2)
        gives=(
            tensor([[-3 / (2 / 3 + 1e-5) ** 0.5], [6 / (2 / 3 + 1e-5) ** 0.5]]),
            tensor([-7 + 1.5]),
        ),
    ),
    Case(_("five parts, three sentences"), random(5, 3, 7, 11), seed=1),
    Case(_("as many parts as sentences"), random(3, 3, 5, 7), seed=2),
    Case(_("as many sentences as components"), random(2, 5, 5, 3), seed=3),
    Case(_("one part alone"), random(1, 2, 7, 5), seed=4),
    Case(_("a stream of a hundredth"), random(3, 2, 5, 7, size=0.01), seed=5),
    Case(_("float64"), random(7, 5, 11, 13, dtype=torch.float64), seed=6),
)

compare = compare_named("contributions", "rest")
