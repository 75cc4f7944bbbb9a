"""Mistakes in attention within blocks: the triangle, the cost, the weights, the cut."""

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

HAND = _("six positions in blocks of two, queries zero: means of the values so far")
HAND_SCORES = _("four positions in blocks of two, d = 4")
COST = _("512 positions in blocks of 8: how much is computed")


def _in_blocks(attend: Attend) -> Answer:
    return grouped(blocks, joined, attend)


def _exchanged(q: Tensor, k: Tensor, v: Tensor, block: int) -> Tensor:
    return grouped(blocks, joined)(k, q, v, block)


def _same_block(i: Tensor, j: Tensor, block: int) -> Tensor:
    return i // block == j // block


CAUSALITY = (
    Misconception(
        "later-positions-read",
        _in_blocks(attention(everything_allowed)),
        _(
            "Inside a block every position reads every other one. The blocks keep positions apart "
            "from other blocks, not from the future: all but the last of a block see what they "
            "have to predict. Mask the places after i in each block's square."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "zero-for-minus-infinity",
        _in_blocks(attention(zero_for_the_hidden)),
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
        _in_blocks(attention(hidden_after_softmax)),
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
        _in_blocks(attention(earlier_hidden)),
        _(
            "The triangle lies the wrong way round: each position reads itself and what comes "
            "after it. Row i of the scores is the query i, and what it may not read lies to the "
            "right of the diagonal: `triu(1)`."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "own-position-hidden",
        _in_blocks(attention(own_hidden)),
        _(
            "A position does not read itself. The first position of every block then has nothing "
            "to read, and a softmax over nothing is NaN. The diagonal is allowed: `triu(1)` starts "
            "right of it."
        ),
        SECTION,
        (_in_blocks(attention(own_hidden_with_nan)),),
        HAND,
    ),
)

COSTS = (
    Misconception(
        "dense-under-a-mask",
        dense(lambda i, j, block: (j <= i) & _same_block(i, j, block)),
        _(
            "The values are right, but every pair j <= i was scored, or masked, or even every pair "
            "of the n times n, and most of it was thrown away. The time grows as that of dense "
            "attention, and a table of all pairs takes its memory too. Cut q, k and v into blocks "
            "first, so that only n times block scores are formed."
        ),
        SECTION,
        case=COST,
    ),
)

WEIGHTS = weight_mistakes(
    _in_blocks, _exchanged, groups=_("blocks"), hand=HAND, hand_scores=HAND_SCORES
)

CUTS = (
    Misconception(
        "block-is-the-number-of-blocks",
        grouped(number_of_blocks, joined),
        _(
            "There are block blocks of n / block positions, where it should be the other way "
            "round. Where both numbers agree nothing shows. block is the number of positions in a "
            "block: unflatten(1, (-1, block))."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "every-so-many-positions",
        grouped(columns, turned_and_joined),
        _(
            "A group holds every so many positions instead of neighbours: the sequence was dealt "
            "out to the groups like cards. That is the column of strided attention. Cut the axis "
            "of the positions and transpose nothing: a block is one run of memory."
        ),
        SECTION,
        (
            grouped(lambda x, size: number_of_blocks(x, size).transpose(1, 2), turned_and_joined),
            grouped(columns, joined),
        ),
        HAND,
    ),
    Misconception(
        "blocks-not-cut",
        grouped(whole, lambda x: x),
        _(
            "Every position reads all positions before it: block has no effect. This is dense "
            "attention, which the blocks are to replace. A position reads back to the start of its "
            "block and no further."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "window-for-the-block",
        dense(lambda i, j, block: (j <= i) & (i - j < block)),
        _(
            "Each position reads the last block positions. That window moves along with i; the "
            "blocks stand still, and the first position of a block reads itself alone. Cut the "
            "sequence at the multiples of block."
        ),
        SECTION,
        (dense(lambda i, j, block: (j <= i) & (i - j <= block)),),
        HAND,
    ),
    Misconception(
        "block-before-too",
        dense(lambda i, j, block: (j <= i) & (i // block - j // block <= 1)),
        _(
            "Each position reads its own block and the one before it. Some models do that, so that "
            "the first position of a block is not alone; fixed attention gives it the summaries in "
            "their place, in a set of its own. Here a position reads back to the start of its "
            "block and no further."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "earlier-blocks-too",
        dense(lambda i, j, block: j // block <= i // block),
        _(
            "The mask compares the numbers of the blocks alone: a position reads all earlier "
            "blocks and its own to the end. This is causal between blocks and not within them. "
            "The block must be the same, and j <= i."
        ),
        SECTION,
        case=HAND,
    ),
)

MISCONCEPTIONS = (*CAUSALITY, *COSTS, *WEIGHTS, *CUTS)
