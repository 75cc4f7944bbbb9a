"""Cases of the softmax at a temperature."""

from math import inf, log

import torch

from bottomup.exercises.engine import case, normal, tensor
from bottomup.i18n import _

CASES = (
    case(
        _("two tokens, log 4 apart, at T = 2"),
        logits=tensor([0.0, log(4)]),
        temperature=2,
        gives=tensor([1 / 3, 2 / 3]),  # the odds 1 : 4 become 1 : 2
    ),
    case(
        _("two tokens, log 2 apart, at T = 0.5"),
        logits=tensor([log(2), 0.0]),
        temperature=0.5,
        gives=tensor([4 / 5, 1 / 5]),  # 2 : 1 becomes 4 : 1
    ),
    case(
        _("temperature one"),
        logits=tensor([[0.0, 0.0, log(2)], [log(3), 0.0, -inf]]),
        temperature=1.0,
        gives=tensor([[1 / 4, 1 / 4, 1 / 2], [3 / 4, 1 / 4, 0]]),
    ),
    case(
        _("a token that cannot be"),
        logits=tensor([0.0, -inf, log(9)]),
        temperature=2.0,
        gives=tensor([1 / 4, 0, 3 / 4]),  # 1 : 9 becomes 1 : 3
    ),
    case(
        _("logits far below zero, and a token that cannot be"),
        logits=tensor([[-2e9, -3e9, -inf], [-inf, -3e9, -2e9]]),
        temperature=0.5,
        gives=tensor([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
    ),
    case(_("a batch"), seed=1, logits=normal(3, 5, scale=2.0), temperature=0.7),
    case(_("as many rows as tokens"), seed=2, logits=normal(3, 3, scale=2.0), temperature=1.7),
    case(_("two leading axes"), seed=3, logits=normal(2, 3, 7, scale=2.0), temperature=3.0),
    case(
        _("float64"),
        seed=4,
        logits=normal(5, 2, scale=2.0, dtype=torch.float64),
        temperature=0.3,
    ),
    case(
        _("the smallest temperature"),
        logits=tensor([[1.0, 2.0, 1.0], [-3.0, -4.0, -5.0]]),
        temperature=1e-6,
        gives=tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]),
    ),
    case(
        _("the smallest temperature, logits close together"),
        # in float64, where no way to compute it loses the small differences; float32 would
        logits=tensor([1.0, 1 + 1e-6 * log(2), 1.0], dtype=torch.float64),
        temperature=1e-6,
        gives=tensor([1 / 4, 1 / 2, 1 / 4], dtype=torch.float64),
    ),
    case(
        _("the largest temperature"),
        logits=tensor([[0.0, 1e6 * log(2), 1e6 * log(3)]]),
        temperature=1e6,
        gives=tensor([[1 / 6, 1 / 3, 1 / 2]]),
    ),
    case(
        _("logits far apart at a high temperature"),
        logits=tensor([[0.0, -200.0, -300.0]]),
        temperature=100.0,
    ),
    case(
        _("a gradient for the logits"),
        logits=tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]).with_gradient(),
        temperature=0.5,
    ),
)
