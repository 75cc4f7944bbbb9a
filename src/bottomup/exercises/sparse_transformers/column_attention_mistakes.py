"""Mistakes in attention along columns: the cut, the way back, the cost, the weights."""

from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.sparse_transformers.group_mistakes import SECTION, weight_mistakes
from bottomup.exercises.sparse_transformers.group_parts import (
    Answer,
    Attend,
    attention,
    blocks,
    columns,
    dense,
    distant_columns,
    earlier_hidden,
    everything_allowed,
    grouped,
    hidden_after_softmax,
    joined,
    number_of_blocks,
    own_hidden,
    own_hidden_with_nan,
    turned_and_joined,
    whole,
    zero_for_the_hidden,
)
from bottomup.i18n import _

HAND = _("six positions in rows of two, queries zero: means of the values so far")
HAND_SCORES = _("four positions in rows of two, d = 4")
COST = _("512 positions in rows of 64: how much is computed")


def _in_columns(attend: Attend) -> Answer:
    return grouped(columns, turned_and_joined, attend)


def _exchanged(q: Tensor, k: Tensor, v: Tensor, stride: int) -> Tensor:
    return grouped(columns, turned_and_joined)(k, q, v, stride)


def _features_first(x: Tensor, stride: int) -> Tensor:
    """[head, row, d, column]: what `.mT` makes of the table."""
    return blocks(x, stride).mT


def _without_the_first(q: Tensor, k: Tensor, v: Tensor, stride: int) -> Tensor:
    """Nobody reads position 0; it gets an output of zero, as a product over nothing is."""
    return dense(_column_to_one)(q, k, v, stride).nan_to_num()


def _column_to_one(i: Tensor, j: Tensor, stride: int) -> Tensor:
    return _column(i, j, stride) & (j > 0)


def _column(i: Tensor, j: Tensor, stride: int) -> Tensor:
    return (j <= i) & ((i - j) % stride == 0)


CUTS = (
    Misconception(
        "runs-of-neighbours",
        grouped(number_of_blocks, joined),
        _(
            "The sequence was reshaped to [stride, n / stride]. A reshape moves no number, so what "
            "stands in one of its rows is a run of neighbours, and no position reads one that is "
            "stride away. The table is [n / stride, stride], and its columns come to the front by "
            "a transpose."
        ),
        SECTION,
        (grouped(number_of_blocks, turned_and_joined),),
        HAND,
    ),
    Misconception(
        "rows-attended",
        grouped(blocks, joined),
        _(
            "The table is right, but attention runs along its rows: each position reads its "
            "neighbours in the own row. That is the block of fixed attention. The product over the "
            "last two axes must compare rows of one column: transpose the axes 1 and 2 first."
        ),
        SECTION,
        (grouped(blocks, turned_and_joined),),
        HAND,
    ),
    Misconception(
        "columns-n-over-stride-apart",
        grouped(distant_columns, turned_and_joined),
        _(
            "The positions of a group lie n / stride apart, where it should be stride. The table "
            "has stride rows in place of stride columns. Where both numbers agree nothing shows: "
            "unflatten(1, (-1, stride))."
        ),
        SECTION,
        (grouped(distant_columns, joined),),
        HAND,
    ),
    Misconception(
        "not-transposed-back",
        grouped(columns, joined),
        _(
            "The output is in the order of the columns: first all positions of column 0, then all "
            "of column 1. Its shape is right, so nothing complains, but a position gets another "
            "one's output, and often a later one's. Transpose back before you flatten."
        ),
        SECTION,
        (grouped(columns, lambda x: x.reshape(len(x), x.shape[2], x.shape[1], -1).flatten(1, 2)),),
        HAND,
    ),
    Misconception(
        "column-from-zero",
        dense(lambda i, j, stride: (j <= i) & (j % stride == 0)),
        _(
            "Every position reads the positions 0, stride, 2 stride: the first column, whichever "
            "column it stands in. The distance i - j has to be a multiple of the stride, so that "
            "each position reads its own column."
        ),
        SECTION,
        (dense(lambda i, j, stride: (j <= i) & (j % stride == stride - 1)),),
        HAND,
    ),
    Misconception(
        "features-exchanged",
        grouped(_features_first, lambda x: x.mT.flatten(1, 2)),
        _(
            "`.mT` exchanges the last two axes. The table is [head, row, column, d], so these are "
            "column and d: features are then compared, or end up at other positions. What has to "
            "change places are row and column: transpose(1, 2), on the way in and on the way back."
        ),
        SECTION,
        (
            grouped(
                _features_first,
                lambda x: x.mT.flatten(1, 2),
                attention(divisor=lambda q, v: q.shape[-2] ** 0.5),
            ),
            grouped(_features_first, turned_and_joined),
            grouped(_features_first, joined),
            grouped(columns, lambda x: x.mT.flatten(1, 2)),
            grouped(columns, lambda x: x.mT.reshape(len(x), -1, x.shape[-1])),
        ),
        HAND,
    ),
    Misconception(
        "first-position-missing",
        _without_the_first,
        _(
            "Position 0 is read by nobody, not even by itself. range(i, 0, -stride) ends before 0, "
            "as every range ends before its second number. Backwards to 0 it is "
            "range(i, -1, -stride)."
        ),
        SECTION,
        (dense(_column_to_one),),
        HAND,
    ),
    Misconception(
        "columns-not-cut",
        grouped(whole, lambda x: x),
        _(
            "Every position reads all positions before it: stride has no effect. This is dense "
            "attention. A position reads itself and every stride-th position back."
        ),
        SECTION,
        case=HAND,
    ),
)

CAUSALITY = (
    Misconception(
        "later-positions-read",
        _in_columns(attention(everything_allowed)),
        _(
            "Every position reads its whole column, to the bottom. What stands below it comes "
            "later in the sequence, and the model would read what it has to predict. Mask the rows "
            "after the own one in each column's square of scores."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "zero-for-minus-infinity",
        _in_columns(attention(zero_for_the_hidden)),
        _(
            "The hidden scores are set to zero, as `tril` does it, or a product with a mask. But "
            "exp(0) is 1: a later position then has the weight of one with a score of zero, and "
            "the future leaks. Set the hidden scores to -inf before the softmax."
        ),
        SECTION,
        case=HAND_SCORES,
    ),
    Misconception(
        "mask-after-softmax",
        _in_columns(attention(hidden_after_softmax)),
        _(
            "The mask comes after the softmax. The later positions get nothing, but they have had "
            "their share of the sum: the weights of a row no longer sum to one, and how much is "
            "missing tells of the future. Mask the scores, then take the softmax."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "past-hidden",
        _in_columns(attention(earlier_hidden)),
        _(
            "The triangle lies the wrong way round: each position reads itself and what stands "
            "below it in its column. Row i of the scores is the query i, and what it may not read "
            "lies to the right of the diagonal: `triu(1)`."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "own-position-hidden",
        _in_columns(attention(own_hidden)),
        _(
            "A position does not read itself. The whole first row of the table then has nothing to "
            "read, and a softmax over nothing is NaN. The diagonal is allowed: `triu(1)` starts "
            "right of it."
        ),
        SECTION,
        (_in_columns(attention(own_hidden_with_nan)),),
        HAND,
    ),
)

COSTS = (
    Misconception(
        "dense-under-a-mask",
        dense(_column),
        _(
            "The values are right, but every pair j <= i was scored, or masked, or even every pair "
            "of the n times n, and most of it was thrown away. The time grows as that of dense "
            "attention, and a table of all pairs takes its memory too. Bring the positions of a "
            "column next to each other first, so that only n times n / stride scores are formed."
        ),
        SECTION,
        case=COST,
    ),
)

WEIGHTS = weight_mistakes(
    _in_columns, _exchanged, groups=_("columns"), hand=HAND, hand_scores=HAND_SCORES
)

MISCONCEPTIONS = (*CUTS, *CAUSALITY, *COSTS, *WEIGHTS)
