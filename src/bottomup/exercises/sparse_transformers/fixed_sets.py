"""Exercise: the two sets of fixed attention (Child et al., 2019, section 4.3)."""

import torch

from bottomup.exercises.exercise import Case, Exercise
from bottomup.exercises.sparse_transformers.fixed_sets_mistakes import (
    CUT,
    HAND,
    MISCONCEPTIONS,
    TWO,
)
from bottomup.exercises.sparse_transformers.sets_parts import Pair, compare_sets, given, run
from bottomup.i18n import _

STUB = '''\
def fixed_sets(i, block, summary, n):
    """What position i of a sequence of n reads in fixed attention.

    The sequence is cut into blocks with the places 0 to block - 1; where
    n is no multiple of block, the last block is cut: it lacks its last
    places.
    own: the positions of i's own block, up to i.
    summaries: the positions, up to i, at the places block - summary to
    block - 1 of every block; a last block that is cut has those of them
    that exist.
    Positions are counted from 0 to n - 1; no set holds one after i.
    Returns (own, summaries), two sets of positions.
    """
    ...
'''


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

FIXED_SETS = Exercise(
    slug="fixed-sets",
    title=_("The two sets of fixed attention"),
    chapter="07",
    difficulty=2,
    minutes=10,
    stub=STUB,
    hints=(
        _(
            "Write 0 to 11 in rows of four and mark the last position of each row. Which marks may "
            "position 7 read, and which positions of its own row?"
        ),
        _(
            "`j // block` is the number of j's block and `j % block` its place inside: 0 for the "
            "first, block - 1 for the last. Which places are the last two of four?"
        ),
        _(
            "A block's summaries stand at the places block - summary to block - 1. Neither set may "
            "hold a position after i, whatever its block and place."
        ),
    ),
    solution=fixed_sets,
    alternatives=(as_printed_and_cut, with_ranges, with_masks, with_a_loop),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    run=run,
    compare=compare_sets(_("own block"), _("set of summaries")),
)
