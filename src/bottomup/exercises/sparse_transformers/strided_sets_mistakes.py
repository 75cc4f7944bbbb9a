"""Mistakes with the two sets of strided attention: one end too far, another anchor, the future."""

from collections.abc import Callable

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.sparse_transformers.sets_parts import Answer, Pair
from bottomup.i18n import _

SECTION = _("Strided attention")
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
    Misconception(
        "later-positions-in-the-column",
        _sets(column=_printed_column),
        _(
            "The column holds positions after i. The formula printed in the paper, "
            "(i - j) mod l = 0, is also true of j = i + l; that j <= i stands in the text above "
            "it. A model with this set reads what it has to predict. Ask for j <= i as well."
        ),
        SECTION,
        (_sets(_printed_window, _printed_column), _sets(column=_column_ahead)),
        HAND,
    ),
    Misconception(
        "later-positions-in-the-window",
        _sets(_both_sides),
        _(
            "The window holds positions after i. It looks to both sides, as a convolution of an "
            "image does, but what comes after i is what the model has to predict. Keep 0 <= i - j."
        ),
        SECTION,
        (
            _sets(_not_older),
            _sets(_ahead),
            _sets(_ahead, beyond=1),
            _sets(_ahead, _printed_column),
            _sets(_ahead, _column_ahead),
            _sets(lambda i, j, stride: abs(i - j) <= stride // 2),
        ),
        HAND,
    ),
    Misconception(
        "later-positions-in-both",
        _sets(_not_older, _printed_column),
        _(
            "Both sets hold positions after i. i - j < stride is true of every later j, and "
            "(i - j) mod l = 0, as the paper prints it, of j = i + l. A model with these sets "
            "reads what it has to predict. Ask for j <= i in both."
        ),
        SECTION,
        (
            _sets(_both_sides, _printed_column),
            _sets(lambda i, j, stride: i - j <= stride, _printed_column),
        ),
        HAND,
    ),
    Misconception(
        "window-one-too-wide",
        _sets(_printed_window),
        _(
            "The window has one position too many, i - stride. The paper prints its set so, from "
            "max(0, i - l) to i; here, as in its authors' code, the window has stride positions. "
            "The position in question also stands in the column: the union of the two is the same, "
            "but two sets that are attended to apart would both pay for it."
        ),
        SECTION,
        (_sets(_printed_window, first=(-1, 0)),),
        HAND,
    ),
    Misconception(
        "own-position-missing",
        _sets(_window_without_itself),
        _(
            "Position i belongs to both sets, and here one of them, or each, lacks it. A range "
            "ends before its second number: range(a, i) stops at i - 1. Position i predicts the "
            "token after it, so it may read itself, and the first position has nothing else to "
            "read; a head that has one of the sets alone finds i in it."
        ),
        SECTION,
        (
            _sets(_shifted_window),
            _sets(column=_column_without_itself),
            _sets(_window_without_itself, _column_without_itself),
            _sets(_shifted_window, _column_without_itself),
        ),
        HAND,
    ),
    Misconception(
        "below-zero",
        _sets(first=(-1, 0)),
        _(
            "Near the start there are fewer than stride positions to read, and a set went on below "
            "zero. -1 is no position: as an index it is the last token of the sequence, in the "
            "future, and a slice that starts there is empty. Cut at 0, with "
            "max(0, i - stride + 1)."
        ),
        SECTION,
        (
            _sets(first=(-1, -1)),
            _sets(first=(0, -1)),
            _stepped_back,
            _sliced,
            _sets(_shifted_window, first=(-1, 0)),
        ),
        START,
    ),
    Misconception(
        "first-position-missing",
        _sets(column=lambda i, j, stride: j > 0 and _column(i, j, stride)),
        _(
            "Position 0 is missing from the column. range(i, 0, -stride) ends before 0, as every "
            "range ends before its second number. Backwards to 0 it is range(i, -1, -stride)."
        ),
        SECTION,
        (
            _sets(
                lambda i, j, stride: j > 0 and _window(i, j, stride),
                lambda i, j, stride: j > 0 and _column(i, j, stride),
            ),
        ),
    ),
)

OTHER_SETS = (
    Misconception(
        "column-from-zero",
        _sets(column=lambda i, j, stride: j <= i and j % stride == 0),
        _(
            "The column is counted from position 0, so every position reads the same one, 0, "
            "stride, 2 stride. In a table with rows of stride positions that is the first column; "
            "i reads its own. It is the distance i - j that has to be a multiple of the stride."
        ),
        SECTION,
        (
            _sets(column=lambda i, j, stride: j % stride == 0),
            _sets(column=lambda i, j, stride: j <= i and j % stride == stride - 1),
        ),
        HAND,
    ),
    Misconception(
        "row-for-the-window",
        _sets(_own_row),
        _(
            "The window is the row of i in a table, up to i: it has stride positions only at the "
            "end of a row, and one at its beginning. That is the own block of fixed attention. "
            "The window of strided attention moves with i and reaches into the row before."
        ),
        SECTION,
        (_sets(lambda i, j, stride: j // stride == i // stride),),
        HAND,
    ),
    Misconception(
        "sets-exchanged",
        _exchanged,
        _(
            "Window and column have changed places. Each is right, but the order is the one of the "
            "statement: first the positions close by, then those a stride apart."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "width-and-distance-exchanged",
        lambda i, stride, n: _sets()(i, -(-n // stride), n),
        _(
            "The stride was taken for the number of positions in the column, and n / stride for "
            "the distance. The stride is the distance between two positions of the column and the "
            "width of the window; the column has as many as fit before i."
        ),
        SECTION,
        (lambda i, stride, n: _sets()(i, n // stride or 1, n), _column_of_n_over_stride),
        HAND,
    ),
)

MISCONCEPTIONS = (*ENDS, *OTHER_SETS)
