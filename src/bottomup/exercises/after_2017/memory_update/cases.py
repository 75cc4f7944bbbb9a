"""Cases of what the next segment may read (Dai et al., 2019, section 3.2)."""

import torch

from bottomup.exercises.engine import Drawn, case, normal, tensor
from bottomup.i18n import _


def states(layers: int, m: int, n: int, d_model: int) -> dict[str, Drawn]:
    """Return a memory of m positions and a segment of n."""
    return {
        "memory": normal(layers, m, d_model),
        "read": normal(layers, n, d_model),
        "written": normal(layers, n, d_model),
    }


CASES = (
    case(
        _("a memory of two positions, and a segment of three"),
        memory=tensor([[[1.0], [2.0]]]),
        read=tensor([[[3.0], [4.0], [5.0]]]),
        written=tensor([[[30.0], [40.0], [50.0]]]),
        length=4,
        gives=tensor([[[2.0], [3.0], [4.0], [5.0]]]),
    ),
    case(_("no memory yet"), seed=1, **states(2, 0, 3, 2), length=5),
    case(_("three layers, a memory as long as a segment"), seed=2, **states(3, 5, 5, 7), length=5),
    case(_("a memory longer than a segment"), seed=3, **states(2, 11, 3, 5), length=7),
    case(_("a memory shorter than a segment"), seed=4, **states(5, 3, 7, 2), length=2),
    case(_("a length of 0"), seed=5, **states(2, 3, 5, 2), length=0),
    case(_("room for more than there is"), seed=6, **states(3, 2, 5, 2), length=11),
    case(
        _("float64"),
        seed=7,
        memory=normal(2, 5, 3, dtype=torch.float64),
        read=normal(2, 3, 3, dtype=torch.float64),
        written=normal(2, 3, 3, dtype=torch.float64),
        length=7,
    ),
    case(
        _("states that have a gradient"),
        seed=8,
        memory=normal(2, 3, 2).with_gradient(),
        read=normal(2, 2, 2).with_gradient(),
        written=normal(2, 2, 2).with_gradient(),
        length=4,
    ),
    case(
        _("a gradient, no memory yet, and room for more"),
        seed=10,
        memory=normal(2, 0, 2).with_gradient(),
        read=normal(2, 2, 2).with_gradient(),
        written=normal(2, 2, 2).with_gradient(),
        length=4,
    ),
    case(
        _("no memory yet, and a segment that is too long"),
        seed=9,
        memory=normal(1, 0, 1),
        read=tensor([[[1.0], [2.0], [3.0]]]),
        written=tensor([[[10.0], [20.0], [30.0]]]),
        length=2,
        gives=tensor([[[2.0], [3.0]]]),
    ),
)
