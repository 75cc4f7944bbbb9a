"""Cases of the alignment of two sentences."""

from math import log
from typing import Any

import torch

from bottomup.exercises.engine import case, normal, tensor
from bottomup.exercises.intra_attention.pairs import compare_pair, run_on_pair
from bottomup.i18n import _


def pairs(
    batch: int, first: int, second: int, d_feature: int, d_word: int, *,
    dtype: torch.dtype | None = None, scale: float = 1.0,
) -> dict[str, Any]:  # fmt: skip
    """Features, `scale` in size, and words of pairs of sentences."""
    return {
        "first_features": normal(batch, first, d_feature, scale=scale, dtype=dtype),
        "second_features": normal(batch, second, d_feature, scale=scale, dtype=dtype),
        "first": normal(batch, first, d_word, dtype=dtype),
        "second": normal(batch, second, d_word, dtype=dtype),
    }


CASES = (
    case(
        _("three words and two"),
        # scores ln 3 and 0: rows of 3:1, 1:3 and 1:3, columns of 3:1:1 and 1:3:3
        first_features=tensor([[[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]]),
        second_features=tensor([[[log(3), 0.0], [0.0, log(3)]]]),
        first=tensor([[[10.0], [20.0], [30.0]]]),
        second=tensor([[[1.0], [5.0]]]),
        gives=(tensor([[[2.0], [4.0], [4.0]]]), tensor([[[16.0], [160 / 7]]])),
    ),
    case(_("a batch"), seed=1, **pairs(2, 3, 5, 7, 11)),
    case(_("sentences of one length"), seed=2, **pairs(2, 3, 3, 2, 5)),
    case(_("features and words of equal width"), seed=3, **pairs(2, 2, 3, 5, 5)),
    case(_("everything of one size"), seed=4, **pairs(3, 3, 3, 3, 3)),
    case(_("a sentence of one word"), seed=5, **pairs(2, 1, 5, 3, 2)),
    case(_("float64"), seed=6, **pairs(5, 3, 2, 2, 3, dtype=torch.float64)),
    case(_("large scores"), seed=7, **pairs(1, 3, 2, 2, 1, scale=12.0)),
    case(
        _("the gradients of a small case"),
        seed=8,
        **{name: drawn.with_gradient() for name, drawn in pairs(1, 2, 3, 2, 1).items()},
    ),
)

run = run_on_pair
compare = compare_pair("reads_second", "reads_first")
