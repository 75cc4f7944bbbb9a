"""Cases of the two sets of strided attention."""

from bottomup.exercises.engine import case
from bottomup.exercises.sparse_transformers import sets
from bottomup.i18n import _

CASES = (
    case(_("position 7 of eleven, stride 3"), i=7, stride=3, n=11, gives=((5, 6, 7), (1, 4, 7))),
    case(
        _("position 2, nearer to the start than the stride"),
        i=2,
        stride=5,
        n=13,
        gives=((0, 1, 2), (2,)),
    ),
    case(_("the first position"), i=0, stride=3, n=7),
    case(_("i is a multiple of the stride"), i=6, stride=3, n=13),
    case(_("i is the stride"), i=3, stride=3, n=7, gives=((1, 2, 3), (0, 3))),
    case(_("the last position"), i=10, stride=5, n=11),
    case(_("seventeen positions"), i=13, stride=5, n=17),
    case(_("a table of 23 positions, rows of 7"), i=20, stride=7, n=23),
    case(_("a stride of one"), i=3, stride=1, n=7),
    case(_("a stride longer than the sequence"), i=4, stride=11, n=5),
    case(_("a hundred and one positions"), i=89, stride=11, n=101),
)

run = sets.run
compare = sets.compare_sets(_("window"), _("column"))
