"""Exercise: the two sets of strided attention (Child et al., 2019, section 4.3)."""

from collections.abc import Callable

import torch

from bottomup.exercises.engine import Answers, Case, Mistake
from bottomup.exercises.sparse_transformers.sets import Answer, Pair, compare_sets, given, run
from bottomup.i18n import _


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


# ---- Mistakes: one end too far, another anchor, the future

HAND = _("position 7 of eleven, stride 3")
START = _("position 2, nearer to the start than the stride")
Reads = Callable[[int, int, int], bool]  # i, j, stride -> whether i reads j


def _window(i: int, j: int, stride: int) -> bool:
    return 0 <= i - j < stride


def _column(i: int, j: int, stride: int) -> bool:
    return j <= i and (i - j) % stride == 0


def _sets(
    window: Reads = _window, column: Reads = _column, *, first: tuple[int, int] = (0, 0),
    beyond: int = 0,
) -> Answer:  # fmt: skip
    """Right but for one of the two sets.

    `first` gives the smallest position of each in strides, `beyond` how many strides behind the
    sequence are looked at too.
    """

    def wrong(i: int, stride: int, n: int) -> Pair:
        last = n + beyond * stride
        return (
            {j for j in range(first[0] * stride, last) if window(i, j, stride)},
            {j for j in range(first[1] * stride, last) if column(i, j, stride)},
        )

    return wrong


def _printed_window(i: int, j: int, stride: int) -> bool:
    return 0 <= i - j <= stride


def _window_without_itself(i: int, j: int, stride: int) -> bool:
    return 0 < i - j < stride


def _shifted_window(i: int, j: int, stride: int) -> bool:
    return 0 < i - j <= stride


def _not_older(i: int, j: int, stride: int) -> bool:
    return i - j < stride


def _both_sides(i: int, j: int, stride: int) -> bool:
    return abs(i - j) < stride


def _printed_column(i: int, j: int, stride: int) -> bool:
    return (i - j) % stride == 0


def _column_without_itself(i: int, j: int, stride: int) -> bool:
    return j < i and (i - j) % stride == 0


def _own_row(i: int, j: int, stride: int) -> bool:
    return j <= i and j // stride == i // stride


def _ahead(i: int, j: int, stride: int) -> bool:
    return 0 <= j - i < stride


def _column_ahead(i: int, j: int, stride: int) -> bool:
    return j >= i and (i - j) % stride == 0


def _exchanged(i: int, stride: int, n: int) -> Pair:
    window, column = _sets()(i, stride, n)
    return column, window


def _stepped_back(i: int, stride: int, n: int) -> Pair:
    """As many steps as the whole sequence has, whatever i is."""
    window, _right = _sets()(i, stride, n)
    return window, {i - step * stride for step in range(n // stride + 1)}


def _sliced(i: int, stride: int, n: int) -> Pair:
    """A slice that starts below zero starts from the end."""
    return set(list(range(n))[i - stride + 1 : i + 1]), _sets()(i, stride, n)[1]


def _column_of_n_over_stride(i: int, stride: int, n: int) -> Pair:
    return _sets()(i, stride, n)[0], _sets()(i, n // stride or 1, n)[1]


ENDS = (
    Mistake(
        "later-positions-in-the-column",
        _sets(column=_printed_column),
        (_sets(_printed_window, _printed_column), _sets(column=_column_ahead)),
        case=HAND,
    ),
    Mistake(
        "later-positions-in-the-window",
        _sets(_both_sides),
        (
            _sets(_not_older),
            _sets(_ahead),
            _sets(_ahead, beyond=1),
            _sets(_ahead, _printed_column),
            _sets(_ahead, _column_ahead),
            _sets(lambda i, j, stride: abs(i - j) <= stride // 2),
        ),
        case=HAND,
    ),
    Mistake(
        "later-positions-in-both",
        _sets(_not_older, _printed_column),
        (
            _sets(_both_sides, _printed_column),
            _sets(lambda i, j, stride: i - j <= stride, _printed_column),
        ),
        case=HAND,
    ),
    Mistake(
        "window-one-too-wide",
        _sets(_printed_window),
        (_sets(_printed_window, first=(-1, 0)),),
        case=HAND,
    ),
    Mistake(
        "own-position-missing",
        _sets(_window_without_itself),
        (
            _sets(_shifted_window),
            _sets(column=_column_without_itself),
            _sets(_window_without_itself, _column_without_itself),
            _sets(_shifted_window, _column_without_itself),
        ),
        case=HAND,
    ),
    Mistake(
        "below-zero",
        _sets(first=(-1, 0)),
        (
            _sets(first=(-1, -1)),
            _sets(first=(0, -1)),
            _stepped_back,
            _sliced,
            _sets(_shifted_window, first=(-1, 0)),
        ),
        case=START,
    ),
    Mistake(
        "first-position-missing",
        _sets(column=lambda i, j, stride: j > 0 and _column(i, j, stride)),
        (
            _sets(
                lambda i, j, stride: j > 0 and _window(i, j, stride),
                lambda i, j, stride: j > 0 and _column(i, j, stride),
            ),
        ),
    ),
)

OTHER_SETS = (
    Mistake(
        "column-from-zero",
        _sets(column=lambda i, j, stride: j <= i and j % stride == 0),
        (
            _sets(column=lambda i, j, stride: j % stride == 0),
            _sets(column=lambda i, j, stride: j <= i and j % stride == stride - 1),
        ),
        case=HAND,
    ),
    Mistake(
        "row-for-the-window",
        _sets(_own_row),
        (_sets(lambda i, j, stride: j // stride == i // stride),),
        case=HAND,
    ),
    Mistake("sets-exchanged", _exchanged, case=HAND),
    Mistake(
        "width-and-distance-exchanged",
        lambda i, stride, n: _sets()(i, -(-n // stride), n),
        (lambda i, stride, n: _sets()(i, n // stride or 1, n), _column_of_n_over_stride),
        case=HAND,
    ),
)

MISTAKES = (*ENDS, *OTHER_SETS)


# ---- Cases

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

ANSWERS = Answers(
    solution=strided_sets,
    alternatives=(with_ranges, with_masks, with_a_loop, with_a_table),
    mistakes=MISTAKES,
    cases=CASES,
    run=run,
    compare=compare_sets(_("window"), _("column")),
)
