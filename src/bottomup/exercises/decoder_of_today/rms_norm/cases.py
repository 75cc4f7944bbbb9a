"""Cases of root-mean-square normalisation."""

from functools import partial
from math import sqrt

import torch

from bottomup.exercises.engine import case, normal, tensor
from bottomup.i18n import _

given = partial(tensor, dtype=torch.float64)
drawn = partial(normal, dtype=torch.float64)

# of the first case: (1 + 4 + 4) / 3 and (0 + 9 + 36) / 3, and epsilon
ROOT, OTHER_ROOT = sqrt(3 + 1e-5), sqrt(15 + 1e-5)

CASES = (
    case(
        _("two vectors of three numbers"),
        x=given([[[1, 2, 2], [0, 3, -6]]]),
        gain=given([1, 10, -1]),
        gives=given([[[1 / ROOT, 20 / ROOT, -2 / ROOT], [0, 30 / OTHER_ROOT, 6 / OTHER_ROOT]]]),
    ),
    case(
        _("a vector of three equal numbers"),
        x=given([[[3, 3, 3], [1, 2, 4]]]),
        gain=given([1, 1, 2]),
    ),
    case(_("two sequences of five positions"), seed=1, x=drawn(2, 5, 7), gain=drawn(7)),
    case(
        _("vectors far from a mean of zero"),
        seed=2,
        x=drawn(3, 2, 11).then(lambda x: 5 + x),
        gain=drawn(11),
    ),
    case(_("numbers of a thousandth"), seed=3, x=drawn(2, 3, 5, scale=1e-3), gain=drawn(5)),
    case(
        _("a vector of zeros among others"),
        x=given([[[0, 0, 0, 0], [1, -2, 3, -4]]]),
        gain=given([1, 2, 3, 4]),
    ),
    case(_("as many positions as components"), seed=4, x=drawn(3, 3, 3), gain=drawn(3)),
)
