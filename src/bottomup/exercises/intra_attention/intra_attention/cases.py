"""Cases of the attention inside a sentence with a bias for the distance."""

from math import e
from typing import Any

import torch

from bottomup.exercises.engine import case, normal, tensor
from bottomup.i18n import _


def sentences(
    batch: int, positions: int, d_feature: int, d_word: int, *,
    scale: float = 0.5, dtype: torch.dtype | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Features, `scale` in size, and words."""
    return {
        "features": normal(batch, positions, d_feature, scale=scale, dtype=dtype),
        "words": normal(batch, positions, d_word, dtype=dtype),
    }


FEATURES = tensor([[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]])
WORDS = tensor([[[1.0], [10.0], [100.0]]])
BIAS = tensor([0.0, -1.0, 1.0])  # 0 to the right, -1 for the word itself, 1 to the left

CASES = (
    case(
        _("three words, one bias for each side and one for the word itself"),
        features=FEATURES,
        words=WORDS,
        bias=BIAS,
        # products 1 0 1, 0 1 1 and 1 1 2, with the biases 0 0 1, 1 0 1 and 2 2 1
        gives=tensor(
            [
                [
                    [(1 + 10 + 100 * e) / (2 + e)],
                    [(e + 10 + 100 * e) / (1 + 2 * e)],
                    [(e + 10 * e + 100) / (1 + 2 * e)],
                ]
            ]
        ),
    ),
    case(_("a bias of zeros"), seed=1, **sentences(1, 3, 2, 3), bias=tensor([0.0, 0.0, 0.0])),
    case(_("a batch of short sentences"), seed=2, **sentences(2, 3, 7, 11), bias=normal(11)),
    case(
        _("sentences longer than the biases reach"),
        seed=3,
        **sentences(2, 7, 3, 5),
        bias=normal(5),
    ),
    case(_("features and words of equal width"), seed=4, **sentences(2, 5, 3, 3), bias=normal(5)),
    case(
        _("as many sentences as words, and equal widths"),
        seed=5,
        **sentences(3, 3, 3, 3),
        bias=normal(3),
    ),
    case(_("one word"), seed=6, **sentences(2, 1, 3, 5), bias=normal(5)),
    case(_("one bias for everything"), seed=7, **sentences(2, 5, 3, 2), bias=normal(1)),
    case(
        _("float64"),
        seed=8,
        **sentences(2, 5, 7, 3, dtype=torch.float64),
        bias=normal(5, dtype=torch.float64),
    ),
    case(_("a sentence of 130 words"), seed=10, **sentences(1, 130, 3, 2), bias=normal(5)),
    case(_("large scores"), seed=9, **sentences(1, 5, 3, 2, scale=10.0), bias=normal(3)),
    case(
        _("the gradients of a small case"),
        features=FEATURES.with_gradient(),
        words=WORDS.with_gradient(),
        bias=BIAS.with_gradient(),
    ),
)
