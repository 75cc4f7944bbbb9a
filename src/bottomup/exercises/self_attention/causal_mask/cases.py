"""Cases of the mask that hides the future."""

from torch import Tensor

from bottomup.exercises.engine import case, tensor
from bottomup.i18n import _

CASES = (
    case(
        _("four positions"),
        n=4,
        gives=tensor([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]).then(Tensor.bool),
    ),
    case(_("one position"), n=1),
    case(_("two positions"), n=2),
    case(_("seven positions"), n=7),
    case(_("thirteen positions"), n=13),
    case(_("two hundred positions"), n=200),
    case(_("more than a thousand positions"), n=1030),
)
