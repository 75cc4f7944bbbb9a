"""Cases of the temporal attention of a decoder."""

from math import e, log

import torch

from bottomup.exercises.engine import case, normal, tensor
from bottomup.i18n import _

CASES = (
    case(
        _("two steps, scores 0, log 2 and log 3"),
        scores=tensor([[[0.0, log(2), log(3)], [log(2), log(2), log(3)]]]),
        # exponentials 1, 2, 3, then 2, 2, 3 divided by them: 2, 1, 1
        gives=tensor([[[1 / 6, 2 / 6, 3 / 6], [2 / 4, 1 / 4, 1 / 4]]]),
    ),
    case(
        _("three steps that point to the same word"),
        scores=tensor([[[3.0, 1.0, 0.0], [3.0, 2.0, 0.0], [3.0, 2.0, 1.0]]]),
    ),
    case(_("a batch"), seed=1, scores=normal(2, 5, 7, scale=2.0)),
    case(_("as many sentences, steps and words"), seed=2, scores=normal(3, 3, 3, scale=2.0)),
    case(_("one step"), seed=3, scores=normal(2, 1, 5, scale=2.0)),
    case(_("one source word"), seed=4, scores=normal(2, 3, 1, scale=2.0)),
    case(_("float64"), seed=5, scores=normal(3, 2, 5, scale=2.0, dtype=torch.float64)),
    case(_("large scores"), scores=tensor([[[200.0, 199.0], [201.0, 199.0], [199.0, 200.0]]])),
    case(
        _("scores beyond the range of float64"),
        scores=tensor([[[1000.0, 999.0], [1001.0, 999.0]], [[0.0, -1.0], [1000.0, 1002.0]]]),
        # e^1000, e^999, then e^1001 / e^1000, e^999 / e^999; e^0, e^-1, then e^1000, e^1002 / e^-1
        gives=tensor(
            [
                [[e / (1 + e), 1 / (1 + e)], [e / (1 + e), 1 / (1 + e)]],
                [[e / (1 + e), 1 / (1 + e)], [1 / (1 + e**3), e**3 / (1 + e**3)]],
            ]
        ),
    ),
    case(
        _("scores far below zero"),
        scores=tensor(
            [[[-200.0, -199.0], [-201.0, -199.0]], [[-3e38, -2e38], [-3e38, -3e38]]],
        ),
        # e^-1 and e^0; in the second the past of the first word is the lower by far
        gives=tensor([[[1 / (1 + e), e / (1 + e)]] * 2, [[0.0, 1.0], [1.0, 0.0]]]),
    ),
    case(
        _("a score that rises far"),
        scores=tensor([[[0.0, 0.0, -1.0], [150.0, 148.0, 149.0], [149.0, 150.0, 149.0]]]),
    ),
    case(
        _("a gradient for the scores"),
        scores=tensor([[[0.0, 1.0], [2.0, 1.0], [1.0, -1.0]]]).with_gradient(),
    ),
)
