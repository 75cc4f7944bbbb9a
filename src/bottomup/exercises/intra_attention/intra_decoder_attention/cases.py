"""Cases of the attention of a decoder to its own past."""

from math import log
from typing import Any

import torch

from bottomup.exercises.engine import case, normal, tensor
from bottomup.i18n import _


def decoder(
    batch: int, steps: int, d_state: int, *, scale: float = 1.0, dtype: torch.dtype | None = None
) -> dict[str, Any]:
    """States, `scale` in size, and the matrix between them."""
    return {
        "states": normal(batch, steps, d_state, scale=scale, dtype=dtype),
        "W_d": normal(d_state, d_state, scale=0.5, dtype=dtype),
    }


HIGHEST = torch.finfo(torch.float32).max

CASES = (
    case(
        _("three steps by hand"),
        states=tensor([[[4.0, 0.0], [0.0, 1.0], [1.0, 0.0]]]),
        W_d=tensor([[0.0, log(3)], [2.0, 1.0]]),
        # s_3 W_d = (0, ln 3): scores 0 with s_1 and ln 3 with s_2, one quarter and three quarters
        gives=tensor([[[0.0, 0.0], [4.0, 0.0], [1.0, 0.75]]]),
    ),
    case(
        _("a score of -200, and one of -3.4e38"),
        states=tensor(
            [[[20.0, 0.0], [-10.0, 0.0], [10.0, 0.0]], [[0.0, 1.0], [0.0, -1.0], [0.0, 1.0]]]
        ),
        W_d=tensor([[1.0, 0.0], [0.0, HIGHEST]]),
        # the second has the first alone; of the third the scores are 200 and -100, or more
        gives=tensor(
            [[[0.0, 0.0], [20.0, 0.0], [20.0, 0.0]], [[0.0, 0.0], [0.0, 1.0], [0.0, 1.0]]]
        ),
    ),
    case(_("a batch"), seed=1, **decoder(2, 5, 3)),
    case(_("as many sentences, steps and widths"), seed=2, **decoder(3, 3, 3)),
    case(_("one step"), seed=3, **decoder(2, 1, 3)),
    case(_("two steps"), seed=4, **decoder(3, 2, 5)),
    case(_("130 steps"), seed=8, **decoder(1, 130, 2)),
    case(_("float64"), seed=5, **decoder(2, 7, 3, dtype=torch.float64)),
    case(_("large scores"), seed=6, **decoder(1, 4, 2, scale=10.0)),
    case(
        _("the gradients of a small case"),
        seed=7,
        **{name: drawn.with_gradient() for name, drawn in decoder(1, 4, 2).items()},
    ),
)
