"""Exercise: the two sets of strided attention (Child et al., 2019, section 4.3)."""

import torch

from bottomup.exercises.exercise import Case, Exercise
from bottomup.exercises.sparse_transformers.sets_parts import Pair, compare_sets, given, run
from bottomup.exercises.sparse_transformers.strided_sets_mistakes import (
    HAND,
    MISCONCEPTIONS,
    START,
)
from bottomup.i18n import _

STUB = '''\
def strided_sets(i, stride, n):
    """What position i of a sequence of n reads in strided attention.

    window: the last stride positions up to i, with i itself; near the
    start of the sequence there are fewer.
    column: i and every stride-th position back from it.
    Positions are counted from 0 to n - 1; no set holds one after i.
    Returns (window, column), two sets of positions; i is in both.
    """
    ...
'''


def strided_sets(i: int, stride: int, n: int) -> tuple[set[int], set[int]]:
    window = {j for j in range(n) if 0 <= i - j < stride}
    column = {j for j in range(i + 1) if j % stride == i % stride}
    return window, column


def with_ranges(i: int, stride: int, n: int) -> tuple[range, range]:
    return range(max(0, i - stride + 1), i + 1), range(i % stride, i + 1, stride)


def with_masks(i: int, stride: int, n: int) -> tuple[torch.Tensor, torch.Tensor]:
    position = torch.arange(n)
    past = position <= i
    window, column = past & (position > i - stride), past & ((i - position) % stride == 0)
    return window.nonzero().flatten(), position[column]


def with_a_loop(i: int, stride: int, n: int) -> tuple[list[int], list[int]]:
    window, column, j = [], [], i
    while j >= 0:
        column.append(j)
        j -= stride
    for j in range(i, i - stride, -1):
        if j >= 0:
            window.append(j)
    return window, column


def with_a_table(i: int, stride: int, n: int) -> Pair:
    """The sequence in rows of `stride`: the column above i, and the last ones read row by row."""
    column = {row * stride + i % stride for row in range(i // stride + 1)}
    return set(list(range(i + 1))[-stride:]), column


CASES = (
    Case(HAND, given(i=7, stride=3, n=11)),
    Case(START, given(i=2, stride=5, n=13)),
    Case(_("the first position"), given(i=0, stride=3, n=7)),
    Case(_("i is a multiple of the stride"), given(i=6, stride=3, n=13)),
    Case(_("the last position"), given(i=10, stride=5, n=11)),
    Case(_("seventeen positions"), given(i=13, stride=5, n=17)),
    Case(_("a table of 23 positions, rows of 7"), given(i=20, stride=7, n=23)),
    Case(_("a stride of one"), given(i=3, stride=1, n=7)),
    Case(_("a stride longer than the sequence"), given(i=4, stride=11, n=5)),
    Case(_("a hundred and one positions"), given(i=89, stride=11, n=101)),
)

STRIDED_SETS = Exercise(
    slug="strided-sets",
    title=_("The two sets of strided attention"),
    chapter="07",
    difficulty=2,
    minutes=8,
    stub=STUB,
    hints=(
        _(
            "Write 0 to 10 in rows of three. Position 7 stands in the middle of the third row. "
            "Which positions stand above it, and which three come last up to 7?"
        ),
        _(
            "Both sets ask about the way back, i - j. The window asks how long it is, the column "
            "whether it is a multiple of the stride. What do both ask about its sign?"
        ),
        _(
            "`{j for j in range(n) if ...}` is a set of positions. The formula of the paper is "
            "`(i - j) % stride == 0`; try it with j = i + stride."
        ),
    ),
    solution=strided_sets,
    alternatives=(with_ranges, with_masks, with_a_loop, with_a_table),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    run=run,
    compare=compare_sets(_("window"), _("column")),
)
