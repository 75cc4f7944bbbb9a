"""Cases of the mask of a sliding window with sinks."""

from bottomup.exercises.engine import case, tensor
from bottomup.i18n import _

CASES = (
    case(_("four positions, one sink"), n=4, width=2, sinks=1, first=0),
    case(_("a window of two"), n=5, width=2, sinks=0, first=0),
    case(_("three sinks"), n=7, width=2, sinks=3, first=0),
    case(_("decoding goes on"), n=7, width=3, sinks=1, first=5),
    case(_("one newest position"), n=11, width=3, sinks=2, first=10),
    case(_("a window wider than the text"), n=5, width=7, sinks=0, first=0),
    case(_("a window of one, no sinks"), n=3, width=1, sinks=0, first=0),
    case(
        _("more sinks than positions"),
        n=3,
        width=1,
        sinks=5,
        first=1,
        gives=tensor([[True, True, False], [True, True, True]]),
    ),
    case(_("thirteen positions"), n=13, width=5, sinks=2, first=4),
    case(_("seventy positions"), n=70, width=30, sinks=5, first=66),
)
