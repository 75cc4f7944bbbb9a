"""Mistakes with the two sets of fixed attention: the future, and which positions are summaries."""

from collections.abc import Callable

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.sparse_transformers.sets_parts import Answer, Pair
from bottomup.i18n import _

SECTION = _("Fixed attention")
HAND = _("position 7 of twelve, blocks of 4, one summary")
TWO = _("position 9 of twelve, blocks of 4, two summaries")

Own = Callable[[int, int, int], bool]  # i, j, block -> whether j is in i's own block
Summaries = Callable[[int, int, int, int], bool]  # i, j, block, summary -> whether i reads j


def _own(i: int, j: int, block: int) -> bool:
    return j <= i and j // block == i // block


def _summaries(i: int, j: int, block: int, summary: int) -> bool:
    return j <= i and j % block >= block - summary


def _sets(own: Own = _own, summaries: Summaries = _summaries, *, beyond: int = 0) -> Answer:
    """Right but for one of the two sets; `beyond` is 1 where the last block is not cut."""

    def wrong(i: int, block: int, summary: int, n: int) -> Pair:
        whole = range(n + beyond * block)
        return (
            {j for j in whole if own(i, j, block)},
            {j for j in whole if summaries(i, j, block, summary)},
        )

    return wrong


def _whole_block(i: int, j: int, block: int) -> bool:
    return j // block == i // block


def _all_summaries(i: int, j: int, block: int, summary: int) -> bool:
    return j % block >= block - summary


def _first_of_blocks(i: int, j: int, block: int, summary: int) -> bool:
    return j <= i and j % block < summary


def _earlier_blocks(i: int, j: int, block: int, summary: int) -> bool:
    return _all_summaries(i, j, block, summary) and j // block < i // block


def _exchanged(i: int, block: int, summary: int, n: int) -> Pair:
    own, summaries = _sets()(i, block, summary, n)
    return summaries, own


FUTURE = (
    Misconception(
        "leaky-block",
        _sets(_whole_block),
        _(
            "The own block holds positions after i. The formula printed in the paper asks only "
            "that both lie in one block; j <= i stands in the text above it. Every position but "
            "the last of a block then reads the token that it has to predict."
        ),
        SECTION,
        (_sets(_whole_block, beyond=1),),
        TWO,
    ),
    Misconception(
        "leaky-summaries",
        _sets(summaries=_all_summaries),
        _(
            "The summaries of later blocks are read. The formula printed in the paper asks for "
            "j mod l alone; j <= i stands in the text above it. A summary that comes after i has "
            "seen what i has to predict. Ask for j <= i as well."
        ),
        SECTION,
        (_sets(summaries=lambda i, j, b, c: _all_summaries(i, j, b, c) and j // b <= i // b),),
        HAND,
    ),
    Misconception(
        "both-sets-leak",
        _sets(_whole_block, _all_summaries),
        _(
            "Both sets hold positions after i, as the two formulas do that the paper prints. That "
            "every set lies in {j: j <= i} is said once, in the section before them. Ask for "
            "j <= i in both."
        ),
        SECTION,
        (_sets(_whole_block, lambda i, j, b, c: _all_summaries(i, j, b, c) and j // b <= i // b),),
        TWO,
    ),
)

PLACES = (
    Misconception(
        "first-positions-of-a-block",
        _sets(summaries=_first_of_blocks),
        _(
            "The summaries are the first positions of each block. A block's first position has "
            "read nothing of its block, so it can tell nothing about it. The last ones have read "
            "all of it: j % block >= block - summary."
        ),
        SECTION,
        (
            _sets(summaries=lambda i, j, b, c: j % b < c),
            _sets(summaries=lambda i, j, b, c: j <= i and j % b <= c),
        ),
        HAND,
    ),
    Misconception(
        "one-summary-short",
        _sets(summaries=lambda i, j, b, c: j <= i and j % b > b - c),
        _(
            "A block has one summary too few, and with summary = 1 it has none: nothing is then "
            "read from any block but one's own. Places are counted from 0 to block - 1, so the "
            "first of the last summary places is block - summary itself: >= and not >."
        ),
        SECTION,
        (_sets(summaries=lambda i, j, b, c: j <= i and b - c <= j % b < b - 1),),
        HAND,
    ),
    Misconception(
        "one-summary-too-many",
        _sets(summaries=lambda i, j, b, c: j <= i and j % b >= b - c - 1),
        _(
            "A block has one summary too many. Its last place is block - 1, so the last summary "
            "places start at block - summary: for blocks of 4 and one summary that is 3."
        ),
        SECTION,
        (
            _sets(summaries=lambda i, j, b, c: j <= i and b - c - 1 <= j % b < b - 1),
            _sets(summaries=lambda i, j, b, c: j <= i and (j % b >= b - c or j % b == 0)),
        ),
        HAND,
    ),
    Misconception(
        "one-summary-a-block",
        _sets(summaries=lambda i, j, b, c: j <= i and j % b == b - 1),
        _(
            "Every block has one summary, whatever summary says. A step of range that is as long "
            "as a block meets one position of each. With c = 1 all that is known of a block has to "
            "pass through one position; the paper takes c = 8 to 32. Take the last summary places."
        ),
        SECTION,
        (_sets(summaries=lambda i, j, b, c: j <= i and j % b == b - c),),
        TWO,
    ),
    Misconception(
        "asks-the-reader-s-place",
        _sets(summaries=lambda i, j, b, c: j <= i and i % b >= b - c),
        _(
            "The place of i is asked for, where it should be that of j. Then i reads everything "
            "before it or nothing, by where it stands itself. Whether j can be read by later "
            "blocks depends on j: j % block."
        ),
        SECTION,
        (_sets(summaries=lambda i, j, b, c: j <= i and (i - j) % b >= b - c),),
        TWO,
    ),
    Misconception(
        "own-block-s-summaries-missing",
        _sets(summaries=_earlier_blocks),
        _(
            "The summaries of the own block are missing. They are also in the first set, and a "
            "softmax over both counts them once; but the set of the paper asks only for the place "
            "in the block, and a head that has this set alone would not read them. Ask for j <= i "
            "and for the place, not for the block."
        ),
        SECTION,
        (_sets(summaries=lambda i, j, b, c: j < i and _all_summaries(i, j, b, c)),),
        HAND,
    ),
)

OTHER_SETS = (
    Misconception(
        "window-for-the-block",
        _sets(lambda i, j, block: 0 <= i - j < block),
        _(
            "The first set is a window that moves with i. That is strided attention. The blocks of "
            "fixed attention stand still: position i reads back to the start of its block, "
            "i - i % block, and no further."
        ),
        SECTION,
        (_sets(lambda i, j, block: 0 <= i - j <= block),),
        TWO,
    ),
    Misconception(
        "own-position-missing",
        _sets(lambda i, j, block: j < i and _own(i, j, block)),
        _(
            "Position i is not in its own block's set. A range ends before its second number: "
            "range(start, i) stops at i - 1. The first position of a block then has nobody in its "
            "block to read. Go up to i + 1."
        ),
        SECTION,
        (
            _sets(
                lambda i, j, block: j < i and _own(i, j, block),
                lambda i, j, b, c: j < i and _all_summaries(i, j, b, c),
            ),
        ),
        TWO,
    ),
    Misconception(
        "sets-exchanged",
        _exchanged,
        _(
            "The two sets have changed places. Each is right, but the order is the one of the "
            "statement: first the own block, then the summaries."
        ),
        SECTION,
        case=TWO,
    ),
)

MISCONCEPTIONS = (*FUTURE, *PLACES, *OTHER_SETS)
