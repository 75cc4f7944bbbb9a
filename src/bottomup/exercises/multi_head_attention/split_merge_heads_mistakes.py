"""Mistakes in cutting a width into heads and in putting heads together again."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

SECTION = _("Split, attend, merge")

Pair = tuple[Tensor, Tensor]
Split = Callable[[Tensor, int], Tensor]
Merge = Callable[[Tensor], Tensor]
Answer = Callable[[Tensor, Tensor, int], Pair]


def _split(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2)


def _merge(heads: Tensor) -> Tensor:
    return heads.transpose(1, 2).flatten(2)


def _answer(split: Split = _split, merge: Merge = _merge) -> Answer:
    return lambda x, heads, num_heads: (split(x, num_heads), merge(heads))


def _both_ways(split: Split, *merges: Merge) -> tuple[Answer, ...]:
    """A wrong split with the right merge, and with each of the wrong merges that go with it."""
    return (_answer(split), *(_answer(split, merge) for merge in merges))


def _viewed(x: Tensor, num_heads: int) -> Tensor:
    batch, n, width = x.shape
    return x.reshape(batch, num_heads, n, width // num_heads)


def _flattened(heads: Tensor) -> Tensor:
    batch, num_heads, m, d_value = heads.shape
    return heads.reshape(batch, m, num_heads * d_value)


def _interleaved(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(-1, (-1, num_heads)).permute(0, 3, 1, 2)


def _merged_in_turn(heads: Tensor) -> Tensor:
    return heads.permute(0, 2, 3, 1).flatten(2)


def _with_batch(x: Tensor, num_heads: int) -> Tensor:
    return _split(x, num_heads).flatten(0, 1)


def _with_batch_viewed(x: Tensor, num_heads: int) -> Tensor:
    return x.reshape(-1, x.shape[1], x.shape[2] // num_heads)


def _heads_outside(x: Tensor, num_heads: int) -> Tensor:
    return torch.cat(x.chunk(num_heads, -1))


def _heads_first(x: Tensor, num_heads: int) -> Tensor:
    return _split(x, num_heads).transpose(0, 1)


def _in_place(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(-1, (num_heads, -1))


def _turned(x: Tensor, num_heads: int) -> Tensor:
    return _split(x, num_heads).mT


def _positions_shared(x: Tensor, num_heads: int) -> Tensor:
    return torch.stack(x.tensor_split(num_heads, dim=1), dim=1)


def _copied(x: Tensor, num_heads: int) -> Tensor:
    return x[:, None].expand(-1, num_heads, -1, -1)


def _own_split_merged(x: Tensor, heads: Tensor, num_heads: int) -> Pair:
    split = _split(x, num_heads)
    return split, _merge(split)


def _swapped(x: Tensor, heads: Tensor, num_heads: int) -> Pair:
    return _merge(heads), _split(x, num_heads)


IN_TURN = _both_ways(_interleaved, _merged_in_turn)
WITH_BATCH = (
    *_both_ways(_with_batch),
    *_both_ways(_with_batch_viewed),
    *_both_ways(_heads_outside),
    *_both_ways(_heads_first),
)

MISCONCEPTIONS = (
    Misconception(
        "view-without-transpose",
        _answer(_viewed),
        _(
            "The split goes from [batch, n, width] to [batch, num_heads, n, d_head] in one "
            "reshape. A reshape moves no number: the first head gets the first positions with all "
            "their columns, and no head sees the whole sequence. Cut the last axis into "
            "(num_heads, d_head), then move the heads to the front with transpose."
        ),
        SECTION,
        (_answer(_viewed, _flattened),),
    ),
    Misconception(
        "merge-without-transpose",
        _answer(merge=_flattened),
        _(
            "The split is right, but the merge goes to [batch, m, num_heads * d_value] in one "
            "reshape. The numbers of one head's neighbouring positions then stand in one row, and "
            "W_O mixes positions. Bring head and d_value next to each other first."
        ),
        SECTION,
    ),
    Misconception(
        "heads-mixed-with-batch",
        WITH_BATCH[0],
        _(
            "The heads are mixed with the batch: they share one axis, or have changed places. A "
            "mask of the batch then meets the wrong sequence as soon as it is broadcast. Keep four "
            "axes: [batch, num_heads, n, d_head]."
        ),
        SECTION,
        WITH_BATCH[1:],
    ),
    Misconception(
        "every-so-many-columns",
        IN_TURN[0],
        _(
            "The columns are dealt out to the heads in turn, like cards: the first head gets the "
            "columns 0, num_heads, 2 num_heads. A model trained this way would not mind, but "
            "weights from elsewhere fall apart. Each head owns neighbouring columns: (num_heads, "
            "d_head), in this order."
        ),
        SECTION,
        IN_TURN[1:],
    ),
    Misconception(
        "merge-in-turn",
        _answer(merge=_merged_in_turn),
        _(
            "The split is right, but the merge takes one number of each head in turn: number 0 of "
            "every head, then number 1 of every head. Splitting again would give other heads. "
            "Glue (num_heads, d_value), in this order, so that each head stays in one piece."
        ),
        SECTION,
    ),
    Misconception(
        "heads-after-positions",
        _answer(_in_place),
        _(
            "The heads stand behind the positions: [batch, n, num_heads, d_head]. A product over "
            "the last two axes then compares the heads of one position with each other, not the "
            "positions of one head. Transpose the two axes."
        ),
        SECTION,
    ),
    Misconception(
        "head-transposed",
        _answer(_turned),
        _(
            "Within each head, positions and columns have changed places: [batch, num_heads, "
            "d_head, n]. The keys are transposed later, for the product with the queries. Split "
            "all three alike, one row for each position."
        ),
        SECTION,
    ),
    Misconception(
        "positions-shared-out",
        _answer(_positions_shared),
        _(
            "The positions are shared out among the heads, not the columns. Each head then attends "
            "within its own piece of the sequence. Every head reads all positions, in its own "
            "slice of the width: cut the last axis."
        ),
        SECTION,
    ),
    Misconception(
        "full-width-for-each-head",
        _answer(_copied),
        _(
            "Every head gets a copy of the full width. The heads then differ in nothing, and give "
            "the same map num_heads times. Each head works in its own d_head columns."
        ),
        SECTION,
    ),
    Misconception(
        "own-split-merged",
        _own_split_merged,
        _(
            "You merge what you have split, which gives x again. `heads` is another tensor, with a "
            "length and a width of its own: merge that one."
        ),
        SECTION,
    ),
    Misconception(
        "results-swapped",
        _swapped,
        _(
            "The two results have changed places: the merged tensor comes first, and the split one "
            "second. Return (split, merged)."
        ),
        SECTION,
    ),
    Misconception(
        "heads-added",
        _answer(merge=lambda heads: heads.sum(1)),
        _(
            "The heads are added up, or averaged, where they should stand beside each other. What "
            "each head has read can then no longer be told apart, and W_O has num_heads times as "
            "many columns as it gets numbers. Glue them along the last axis."
        ),
        SECTION,
        (_answer(merge=lambda heads: heads.mean(1)),),
    ),
)
