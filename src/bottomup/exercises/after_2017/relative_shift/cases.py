"""Cases of the relative shift (Dai et al., 2019, appendix B)."""

import torch

from bottomup.exercises.engine import case, normal, tensor
from bottomup.i18n import _

CASES = (
    case(
        _("two queries, three keys"),
        by_distance=tensor([[3.0, 2.0, 1.0], [6.0, 5.0, 4.0]]),
        gives=tensor([[2.0, 1.0, 0.0], [6.0, 5.0, 4.0]]),
    ),
    case(_("as many queries as keys"), seed=1, by_distance=normal(5, 5)),
    case(_("a memory before the segment"), seed=2, by_distance=normal(3, 7)),
    case(_("a long memory"), seed=3, by_distance=normal(5, 13)),
    case(
        _("the same sizes as before, other numbers"),
        by_distance=tensor([[-3.0, -2.0, -1.0], [0.0, 5.0, -4.0]]),
        gives=tensor([[-2.0, -1.0, 0.0], [0.0, 5.0, -4.0]]),
    ),
    case(_("one query"), seed=4, by_distance=normal(1, 7)),
    case(_("one position"), seed=5, by_distance=normal(1, 1)),
    case(_("float64"), seed=6, by_distance=normal(7, 11, dtype=torch.float64)),
    case(_("a gradient"), seed=7, by_distance=normal(3, 5).with_gradient()),
)
