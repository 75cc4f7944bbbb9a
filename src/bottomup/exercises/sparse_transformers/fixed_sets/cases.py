"""Cases of the two sets of fixed attention."""

from bottomup.exercises.engine import case
from bottomup.exercises.sparse_transformers import sets
from bottomup.i18n import _

CASES = (
    case(
        _("position 7 of twelve, blocks of 4, one summary"),
        i=7,
        block=4,
        summary=1,
        n=12,
        gives=((4, 5, 6, 7), (3, 7)),
    ),
    case(
        _("position 9 of twelve, blocks of 4, two summaries"),
        i=9,
        block=4,
        summary=2,
        n=12,
        gives=((8, 9), (2, 3, 6, 7)),
    ),
    case(_("the first position of a block"), i=10, block=5, summary=2, n=17),
    case(_("the last position of a block"), i=9, block=5, summary=3, n=20),
    case(_("before the first summary"), i=2, block=7, summary=2, n=23),
    case(_("the first position"), i=0, block=3, summary=1, n=7),
    case(
        _("the last block is cut"),
        i=18,
        block=7,
        summary=3,
        n=19,
        gives=((14, 15, 16, 17, 18), (4, 5, 6, 11, 12, 13, 18)),
    ),
    case(_("inside the own block's summaries"), i=12, block=7, summary=3, n=29),
    case(_("every position is a summary"), i=7, block=5, summary=5, n=13),
    case(_("blocks of one"), i=4, block=1, summary=1, n=7),
    case(_("a block longer than the sequence"), i=4, block=11, summary=7, n=5),
    case(_("a hundred and one positions"), i=70, block=13, summary=5, n=101),
)

run = sets.run
compare = sets.compare_sets(_("own block"), _("set of summaries"))
