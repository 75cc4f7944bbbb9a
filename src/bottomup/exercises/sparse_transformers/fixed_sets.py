"""Exercise: the two sets of fixed attention (Child et al., 2019, section 4.3)."""

from collections.abc import Callable

import torch

from bottomup.exercises.engine import Answers, Case, Mistake
from bottomup.exercises.sparse_transformers.sets import Answer, Pair, compare_sets, given, run
from bottomup.i18n import _


def fixed_sets(i: int, block: int, summary: int, n: int) -> tuple[set[int], set[int]]:
    own = {j for j in range(n) if j <= i and j // block == i // block}
    summaries = {j for j in range(n) if j <= i and j % block >= block - summary}
    return own, summaries


def as_printed_and_cut(i: int, block: int, summary: int, n: int) -> Pair:
    """The paper's sets, in which j mod l may be l though it never is, without what is later."""
    start = block - summary
    own = {j for j in range(n) if j // block == i // block}
    summaries = {j for j in range(n) if j % block in range(start, block + 1)}
    return {j for j in own if j <= i}, {j for j in summaries if j <= i}


def with_ranges(i: int, block: int, summary: int, n: int) -> tuple[range, list[int]]:
    ends = range(block, n + block, block)
    summaries = [j for end in ends for j in range(end - summary, end) if j <= i]
    return range(i - i % block, i + 1), summaries


def with_masks(i: int, block: int, summary: int, n: int) -> list[torch.Tensor]:
    position = torch.arange(n)
    past = position <= i
    own = torch.div(position, block, rounding_mode="floor") == i // block
    return [torch.where(mask & past)[0] for mask in (own, position % block + summary >= block)]


def with_a_loop(i: int, block: int, summary: int, n: int) -> tuple[list[int], list[int]]:
    own: list[int] = []
    summaries: list[int] = []
    for j in range(i + 1):
        own = [] if j % block == 0 else own
        own.append(j)
        if len(own) > block - summary:
            summaries.append(j)
    return own, summaries


# ---- Mistakes: the future, and which positions are summaries

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
    Mistake("leaky-block", _sets(_whole_block), (_sets(_whole_block, beyond=1),), case=TWO),
    Mistake(
        "leaky-summaries",
        _sets(summaries=_all_summaries),
        (_sets(summaries=lambda i, j, b, c: _all_summaries(i, j, b, c) and j // b <= i // b),),
        case=HAND,
    ),
    Mistake(
        "both-sets-leak",
        _sets(_whole_block, _all_summaries),
        (_sets(_whole_block, lambda i, j, b, c: _all_summaries(i, j, b, c) and j // b <= i // b),),
        case=TWO,
    ),
)

PLACES = (
    Mistake(
        "first-positions-of-a-block",
        _sets(summaries=_first_of_blocks),
        (
            _sets(summaries=lambda i, j, b, c: j % b < c),
            _sets(summaries=lambda i, j, b, c: j <= i and j % b <= c),
        ),
        case=HAND,
    ),
    Mistake(
        "one-summary-short",
        _sets(summaries=lambda i, j, b, c: j <= i and j % b > b - c),
        (_sets(summaries=lambda i, j, b, c: j <= i and b - c <= j % b < b - 1),),
        case=HAND,
    ),
    Mistake(
        "one-summary-too-many",
        _sets(summaries=lambda i, j, b, c: j <= i and j % b >= b - c - 1),
        (
            _sets(summaries=lambda i, j, b, c: j <= i and b - c - 1 <= j % b < b - 1),
            _sets(summaries=lambda i, j, b, c: j <= i and (j % b >= b - c or j % b == 0)),
        ),
        case=HAND,
    ),
    Mistake(
        "one-summary-a-block",
        _sets(summaries=lambda i, j, b, c: j <= i and j % b == b - 1),
        (_sets(summaries=lambda i, j, b, c: j <= i and j % b == b - c),),
        case=TWO,
    ),
    Mistake(
        "asks-the-reader-s-place",
        _sets(summaries=lambda i, j, b, c: j <= i and i % b >= b - c),
        (_sets(summaries=lambda i, j, b, c: j <= i and (i - j) % b >= b - c),),
        case=TWO,
    ),
    Mistake(
        "own-block-s-summaries-missing",
        _sets(summaries=_earlier_blocks),
        case=HAND,
    ),
    Mistake(
        "own-summary-missing",
        _sets(summaries=lambda i, j, b, c: j < i and _all_summaries(i, j, b, c)),
        case=HAND,
    ),
)

CUTS = (
    Mistake("no-summaries-in-a-cut-block", _whole_blocks_alone, case=CUT),
    Mistake(
        "last-positions-of-a-cut-block",
        _last_of_each(lambda i, n: n),
        (_last_of_each(lambda i, n: i + 1),),
        case=CUT,
    ),
)

OTHER_SETS = (
    Mistake(
        "window-for-the-block",
        _sets(lambda i, j, block: 0 <= i - j < block),
        (_sets(lambda i, j, block: 0 <= i - j <= block),),
        case=TWO,
    ),
    Mistake(
        "own-position-missing",
        _sets(lambda i, j, block: j < i and _own(i, j, block)),
        (
            _sets(
                lambda i, j, block: j < i and _own(i, j, block),
                lambda i, j, b, c: j < i and _all_summaries(i, j, b, c),
            ),
        ),
        case=TWO,
    ),
    Mistake("sets-exchanged", _exchanged, case=TWO),
)

MISTAKES = (*FUTURE, *PLACES, *CUTS, *OTHER_SETS)


# ---- Cases

CASES = (
    Case(HAND, given(i=7, block=4, summary=1, n=12)),
    Case(TWO, given(i=9, block=4, summary=2, n=12)),
    Case(_("the first position of a block"), given(i=10, block=5, summary=2, n=17)),
    Case(_("the last position of a block"), given(i=9, block=5, summary=3, n=20)),
    Case(_("before the first summary"), given(i=2, block=7, summary=2, n=23)),
    Case(_("the first position"), given(i=0, block=3, summary=1, n=7)),
    Case(CUT, given(i=18, block=7, summary=3, n=19)),
    Case(_("inside the own block's summaries"), given(i=12, block=7, summary=3, n=29)),
    Case(_("every position is a summary"), given(i=7, block=5, summary=5, n=13)),
    Case(_("blocks of one"), given(i=4, block=1, summary=1, n=7)),
    Case(_("a block longer than the sequence"), given(i=4, block=11, summary=7, n=5)),
    Case(_("a hundred and one positions"), given(i=70, block=13, summary=5, n=101)),
)

ANSWERS = Answers(
    solution=fixed_sets,
    alternatives=(as_printed_and_cut, with_ranges, with_masks, with_a_loop),
    mistakes=MISTAKES,
    cases=CASES,
    run=run,
    compare=compare_sets(_("own block"), _("set of summaries")),
)
