"""Cases of a softmax that survives scores of any size."""

from math import e, inf, log

import torch

from bottomup.exercises.engine import case, normal, tensor
from bottomup.i18n import _

CASES = (
    case(
        _("two scores, 0 and log 3"),
        scores=tensor([0.0, log(3)]),
        gives=tensor([0.25, 0.75]),  # e^0 : e^log 3 = 1 : 3
    ),
    case(
        _("two rows of three"),
        scores=tensor([[0.0, 0.0, log(2)], [log(3), 0.0, -inf]]),
        gives=tensor([[0.25, 0.25, 0.5], [0.75, 0.25, 0.0]]),  # 1 : 1 : 2 and 3 : 1 : 0
    ),
    case(_("as many rows as columns"), seed=1, scores=normal(3, 3, scale=2.0)),
    case(_("two leading axes"), seed=2, scores=normal(2, 5, 7, scale=2.0)),
    case(_("float64"), seed=3, scores=normal(5, 3, scale=2.0, dtype=torch.float64)),
    case(
        _("a thousand and a thousand and one"),
        scores=tensor([[1000.0, 1001.0]]),
        gives=tensor([[1 / (1 + e), e / (1 + e)]]),  # the shift leaves 0 and 1
    ),
    case(
        _("float64, to its last digits"),
        scores=tensor([[1000.0, 1000 + log(3)], [0.0, -inf]], dtype=torch.float64),
        gives=tensor([[0.25, 0.75], [1.0, 0.0]], dtype=torch.float64),  # 1 : 3 and 1 : 0
    ),
    case(_("far below zero"), scores=tensor([[-1000.0, -1001.0, -999.0]])),
    case(_("one row far above the other"), scores=tensor([[0.0, 1.0, 2.0], [500.0, 502.0, 501.0]])),
    case(_("one score far above the others"), scores=tensor([[0.0, 1.0, 300.0, -1.0]])),
    case(_("one score far below the others"), scores=tensor([[1.0, -100.0, 2.0, 0.0]])),
    case(
        _("three high scores and a low one"),
        scores=tensor([[100.0, 100.0, 100.0, -100.0]]),
        gives=tensor([[1 / 3, 1 / 3, 1 / 3, 0.0]]),
    ),
    case(
        _("one column far above the other"),
        scores=tensor([[0.0, 700.0], [900.0, 0.0], [3.0, 1.0]]),
    ),
    case(
        _("scores beyond a billion"),
        scores=tensor([[-2e9, -2e9 - 1024, -inf], [2e9, 2e9 + 1024, 0.0], [-3e38, -2e38, -inf]]),
        gives=tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]),  # e^-1024 is zero
    ),
    case(
        _("a gradient for the scores"),
        scores=tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]).with_gradient(),
    ),
    case(_("two rows of one matrix, far apart"), scores=tensor([[[0.0, 1.0], [200.0, 201.0]]])),
    case(
        _("a gradient beside minus infinity"),
        scores=tensor([[0.0, 1.0, -torch.inf], [200.0, 0.0, 199.0]]).with_gradient(),
    ),
)
