"""Cases of Gumbel straight-through (Jang, Gu and Poole, 2017, sections 2.1 and 2.2)."""

from math import exp, log

import torch

from bottomup.exercises.engine import Drawn, case, normal, tensor, uniform
from bottomup.i18n import _


def random(*shape: int, dtype: torch.dtype = torch.float32) -> dict[str, Drawn]:
    """Scores, and uniform numbers away from 0 and 1."""
    return {
        "scores": normal(*shape, dtype=dtype),
        "u": uniform(*shape, low=0.01, high=0.99, dtype=dtype),
    }


ZERO, TWO = exp(-1), exp(-exp(-2))  # the numbers that give this noise

CASES = (
    case(
        _("two rows of three; the noise is 0 or 2"),
        scores=tensor([[0.0, 1.0, -3.0], [0.0, 3.0, 0.5]]),
        u=tensor([[TWO, ZERO, ZERO], [ZERO, ZERO, TWO]]),
        temperature=1.0,
        gives=tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),  # e + g is 2, 1, -3 and 0, 3, 2.5
    ),
    case(_("a temperature of 0.5"), seed=1, **random(3, 5), temperature=0.5),
    case(_("as many rows as columns"), seed=2, **random(3, 3), temperature=2.0),
    case(_("two leading axes"), seed=3, **random(5, 7, 11), temperature=0.3),
    case(_("one row"), seed=4, **random(7), temperature=1.0),
    case(_("a temperature of 0.01"), seed=5, **random(2, 5), temperature=0.01),
    case(_("float64"), seed=6, **random(13, 2, dtype=torch.float64), temperature=3.0),
    case(
        _("a gradient for the scores"),
        seed=7,
        scores=normal(2, 3, dtype=torch.float64).with_gradient(),
        u=uniform(2, 3, low=0.01, high=0.99, dtype=torch.float64),
        temperature=0.5,
    ),
    case(
        _("a gradient behind two leading axes"),
        seed=8,
        scores=normal(2, 2, 3, dtype=torch.float64).with_gradient(),
        u=uniform(2, 2, 3, low=0.01, high=0.99, dtype=torch.float64),
        temperature=3.0,
    ),
    case(
        _("a gradient at a temperature of 0.01"),
        # without noise, the softmax of log 3, 0 and -80000: 3/4, 1/4 and 0
        scores=tensor([[0.01 * log(3), 0.0, -800.0]], dtype=torch.float64).with_gradient(),
        u=tensor([[ZERO, ZERO, ZERO]], dtype=torch.float64),
        temperature=0.01,
    ),
    case(
        _("uniform numbers even closer to 0 and 1"),
        scores=tensor([[0.4, 0.0], [-27.0, 0.0]], dtype=torch.float64),
        u=tensor([[1e-30, 1e-18], [1 - 1e-12, 0.5]], dtype=torch.float64),
        temperature=1.0,
        # the noise is -4.2, -3.7 and 27.6, 0.4
        gives=tensor([[0.0, 1.0], [1.0, 0.0]], dtype=torch.float64),
    ),
    case(
        _("uniform numbers close to 0 and 1"),
        scores=tensor([[0.3, 0.0], [-12.0, 0.0]]),
        u=tensor([[1e-12, 1e-8], [1 - 1e-6, 0.5]]),
        temperature=1.0,
        gives=tensor([[0.0, 1.0], [1.0, 0.0]]),
    ),
)
