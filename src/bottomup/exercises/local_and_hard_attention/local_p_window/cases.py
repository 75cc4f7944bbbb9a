"""Cases of the weights of local-p (Luong, Pham and Manning, 2015, section 3.2, equation 10)."""

from math import e

import torch
from torch import Tensor

from bottomup.exercises.engine import Drawn, case, normal, tensor, uniform
from bottomup.i18n import _


def random(
    batch: int, queries: int, source: int, *, spread: float = 2.0, dtype: torch.dtype | None = None
) -> dict[str, Drawn]:
    """Scores, and centres anywhere in the sentence."""
    return {
        "scores": normal(batch, queries, source, scale=spread, dtype=dtype),
        "center": uniform(batch, queries, high=source, dtype=dtype),
    }


def high_at_the_end(scores: Tensor) -> Tensor:
    scores[..., 6] = 300.0
    return scores


LOWEST = torch.finfo(torch.float32).min

CASES = (
    case(
        _("two queries, four source words, D = 1"),
        scores=tensor([[[0.0, 1.0, 2.0, 0.0], [1.0, 0.0, 1.0, 3.0]]]),
        center=tensor([[1.0, 1.5]]),
        half_width=1,
        # D = 1, sigma = 1/2. Around 1: words 0, 1, 2 with scores 0, 1, 2. Around 1.5: words 1 and
        # 2 with scores 0 and 1, each half a word away. e^-2 at distance 1, e^-0.5 at distance 1/2.
        gives=tensor(
            [
                [
                    [e**-2 / (1 + e + e**2), e / (1 + e + e**2), 1 / (1 + e + e**2), 0.0],
                    [0.0, e**-0.5 / (1 + e), e**-0.5 * e / (1 + e), 0.0],
                ]
            ]
        ),
    ),
    case(
        _("centres on a word"),
        seed=1,
        scores=normal(1, 3, 7),
        center=tensor([[2.0, 3.0, 4.0]]),
        half_width=2,
    ),
    case(
        _("centres between two words"),
        seed=2,
        scores=normal(1, 3, 7),
        center=tensor([[1.75, 3.2, 4.6]]),
        half_width=1,
    ),
    case(
        _("windows cut at the edges"),
        seed=3,
        scores=normal(1, 5, 5),
        center=tensor([[0.0, 0.3, 4.7, 5.0, -0.6]]),
        half_width=3,
    ),
    case(_("a batch"), seed=4, **random(2, 3, 11), half_width=2),
    case(_("a wide window"), seed=5, **random(3, 2, 13), half_width=4),
    case(_("a window wider than the sentence"), seed=6, **random(2, 5, 3), half_width=7),
    case(_("one source word"), seed=7, **random(3, 2, 1), half_width=1),
    case(
        _("a score far above the others, outside the window"),
        seed=8,
        scores=normal(1, 2, 7).then(high_at_the_end),
        center=tensor([[0.8, 2.2]]),
        half_width=2,
    ),
    case(
        _("scores far below zero"),
        # the first so far apart that float32 loses no digit; the second as low as float32 goes
        scores=tensor([[[-3e38, -2e38, -3e38, 0.0], [0.0, LOWEST, LOWEST, 0.0]]]),
        center=tensor([[1.0, 1.5]]),
        half_width=1,
        gives=tensor([[[0.0, 1.0, 0.0, 0.0], [0.0, e**-0.5 / 2, e**-0.5 / 2, 0.0]]]),
    ),
    case(_("large scores"), seed=9, **random(1, 3, 7, spread=100.0), half_width=3),
    case(_("float64"), seed=10, **random(2, 5, 7, dtype=torch.float64), half_width=3),
    case(
        _("the gradients of a small case"),
        seed=11,
        scores=normal(1, 3, 5).with_gradient(),
        center=tensor([[0.4, 2.3, 2.0]]).with_gradient(),  # the last on a word
        half_width=2,
    ),
)
