"""Mistakes with the two sets of fixed attention: the future, and which positions are summaries."""

from collections.abc import Callable

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.sparse_transformers.sets_parts import Answer, Pair
from bottomup.i18n import _

SECTION = _("Fixed attention")
HAND = _("position 7 of twelve, blocks of 4, one summary")
TWO = _("position 9 of twelve, blocks of 4, two summaries")
CUT = _("the last block is cut")

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


def _whole_blocks_alone(i: int, block: int, summary: int, n: int) -> Pair:
    whole = n - n % block
    own, summaries = _sets()(i, block, summary, n)
    return own, {j for j in summaries if j < whole}


def _last_of_each(ends: Callable[[int, int], int]) -> Answer:
    """The last positions of each block by a slice; `ends` says from i and n where all is cut."""

    def wrong(i: int, block: int, summary: int, n: int) -> Pair:
        whole = list(range(ends(i, n)))
        blocks = [whole[start : start + block] for start in range(0, len(whole), block)]
        return _sets()(i, block, summary, n)[0], {
            j for each in blocks for j in each[-summary:] if j <= i
        }

    return wrong


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

CUTS = (
    Misconception(
        "no-summaries-in-a-cut-block",
        _whole_blocks_alone,
        _(
            "The last block is cut, and none of its positions is a summary here. But a position is "
            "one by its place, whether its block is whole or not: with blocks of 7 and three "
            "summaries these are the places 4 to 6, so position 18 of 19, at place 4, is one. Ask "
            "for j % block alone."
        ),
        SECTION,
        case=CUT,
    ),
    Misconception(
        "last-positions-of-a-cut-block",
        _last_of_each(lambda i, n: n),
        _(
            "A block that is cut gives its last summary positions, as the slice [-summary:] takes "
            "them. Its summaries are counted from its beginning: the places block - summary to "
            "block - 1, as far as they exist. A position would else be a summary or not by where "
            "the sequence ends. Slice with [block - summary:]."
        ),
        SECTION,
        (_last_of_each(lambda i, n: i + 1),),
        CUT,
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

MISCONCEPTIONS = (*FUTURE, *PLACES, *CUTS, *OTHER_SETS)
