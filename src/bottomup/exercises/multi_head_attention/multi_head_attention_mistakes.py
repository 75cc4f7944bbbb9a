"""Mistakes in multi-head attention: heads, maps, scale, and the last map W_O."""

from itertools import product
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.multi_head_attention.multi_head_attention_parts import (
    Answer,
    Pair,
    split,
    with_step,
)
from bottomup.exercises.multi_head_attention.multi_head_attention_weights import (
    JOINING,
    MASKING,
)
from bottomup.i18n import _

STEPS, FORMULA, OUTPUT = _("Split, attend, merge"), _("The formula"), _("What W_O does")
NARROW_VALUES = _("values narrower than keys")


def _input_sliced(x: Tensor, matrix: Tensor, num_heads: int) -> Tensor:
    """Head h sees its slice of the input only, through the block of the map that fits it."""
    columns = x.shape[-1] // num_heads
    slices = x[..., : columns * num_heads].chunk(num_heads, -1)
    rows = matrix.chunk(num_heads)
    blocks = (block[:, h * columns : (h + 1) * columns] for h, block in enumerate(rows))
    heads = [piece @ block.T for piece, block in zip(slices, blocks, strict=True)]
    return torch.stack(heads, dim=1)


def _unprojected(x: Tensor, matrix: Tensor, num_heads: int) -> Tensor:
    return split(x, num_heads)


def _viewed(x: Tensor, matrix: Tensor, num_heads: int) -> Tensor:
    projected = x @ matrix.T
    return projected.reshape(*projected.shape[:1], num_heads, projected.shape[1], -1)


def _viewed_back(heads: Tensor) -> Tensor:
    batch, num_heads, n, d_value = heads.shape
    return heads.reshape(batch, n, num_heads * d_value)


def _in_turn(x: Tensor, matrix: Tensor, num_heads: int) -> Tensor:
    return (x @ matrix.T).unflatten(-1, (-1, num_heads)).permute(0, 3, 1, 2)


def _merged_in_turn(heads: Tensor) -> Tensor:
    return heads.permute(0, 2, 3, 1).flatten(2)


def _untransposed(x: Tensor, matrix: Tensor, num_heads: int) -> Tensor:
    return split(x @ matrix, num_heads)


def _plain(x: Tensor, matrix: Tensor) -> Tensor:
    return x @ matrix


def _unmixed(read: Tensor, matrix: Tensor) -> Tensor:
    return read


def _from_keys(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return query, key, key


def _from_queries(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return query, query, query


def _scaled_by_values(*inputs: Any) -> Pair:
    W_V, num_heads = inputs[5], inputs[7]
    d_value = len(W_V) // num_heads
    return with_step(divisor=lambda d_model, num_heads, d_head: d_value**0.5)(*inputs)


def _width_of_the_model(added: bool, by_columns: bool) -> Answer:
    """A loop over heads that takes d_model // num_heads rows of each map.

    The heads are added, each through its columns of W_O, or put beside each other. The scores are
    scaled by the columns that a head has got, which are fewer at the end of a narrow map, or not.
    """

    def wrong(
        query: Tensor, key: Tensor, value: Tensor,
        W_Q: Tensor, W_K: Tensor, W_V: Tensor, W_O: Tensor,
        num_heads: int, mask: Tensor | None = None,
    ) -> Pair:  # fmt: skip
        width, read, weights = query.shape[-1] // num_heads, [], []
        places = [slice(h * width, (h + 1) * width) for h in range(num_heads)]
        for own in places:
            q, k, v = query @ W_Q[own].T, key @ W_K[own].T, value @ W_V[own].T
            scores = q @ k.mT / (q.shape[-1] if by_columns else width) ** 0.5
            scores = scores if mask is None else scores.masked_fill(~mask, -torch.inf)
            weights.append(scores.softmax(-1))
            read.append(weights[-1] @ v)
        if added:
            output = sum(head @ W_O[:, own].T for head, own in zip(read, places, strict=True))
        else:
            output = torch.cat(read, -1) @ W_O.T
        return output, torch.stack(weights, 1)

    return wrong


HEADS = (
    Misconception(
        "heads-slice-the-input",
        with_step(project=_input_sliced),
        _(
            "Each head sees a slice of the input, where it should see a slice of the projection. "
            "Head 1 then knows only the first columns of every position, whatever stands in the "
            "others. W_Q, W_K and W_V read the whole width: project first, then cut."
        ),
        FORMULA,
        (
            with_step(project=_unprojected),
            with_step(project=lambda x, matrix, h: _unprojected(x, matrix, h)[..., : len(matrix)]),
        ),
    ),
    Misconception(
        "view-without-transpose",
        with_step(project=_viewed),
        _(
            "The projection goes to [batch, head, n, d_head] in one reshape. A reshape moves no "
            "number: the first head gets the first positions, and no head sees the whole sequence. "
            "Cut the last axis into (num_heads, d_head), then transpose."
        ),
        STEPS,
        (with_step(project=_viewed, merge=_viewed_back),),
    ),
    Misconception(
        "merge-without-transpose",
        with_step(merge=_viewed_back),
        _(
            "The weights are right, but the heads are merged in one reshape, from [batch, head, n, "
            "d_value]. What one head has read at neighbouring positions then stands in one row, "
            "and W_O mixes positions. Transpose back before you merge."
        ),
        STEPS,
    ),
    Misconception(
        "every-so-many-columns",
        with_step(project=_in_turn),
        _(
            "The columns of the projection are dealt out to the heads in turn. A model trained "
            "this way would not mind, but with given weights every head gets parts of all heads. "
            "Head h owns d_head neighbouring rows of W_Q."
        ),
        STEPS,
        (with_step(project=_in_turn, merge=_merged_in_turn),),
    ),
    Misconception(
        "merge-in-turn",
        with_step(merge=_merged_in_turn),
        _(
            "The weights are right, but the merge takes one number of each head in turn: number 0 "
            "of every head, then number 1 of every head. Each column of W_O then meets another "
            "number than its own. Put the heads beside each other whole: the transpose brings head "
            "and d_value next to each other in this order, and the flatten glues them."
        ),
        STEPS,
    ),
)

MAPS = (
    Misconception(
        "map-untransposed",
        with_step(project=_untransposed, mix=_plain),
        _(
            "A map is applied without its transpose. The rows of the input are positions, so W x "
            "for all of them is `x @ W.T`. Where the map is square nothing complains, and the "
            "result is that of other weights."
        ),
        FORMULA,
        (with_step(project=_untransposed), with_step(mix=_plain)),
    ),
    Misconception(
        "values-from-the-query",
        with_step(sources=_from_queries),
        _(
            "Keys and values are made of the query's sequence. In self-attention that is the same "
            "sequence, and nothing shows; in cross-attention the decoder then reads itself and "
            "never the source. Use W_K key and W_V value."
        ),
        FORMULA,
    ),
    Misconception(
        "values-from-the-keys",
        with_step(sources=_from_keys),
        _(
            "The values are made of the keys, and `value` is not used. In self-attention and in "
            "most cross-attention both are one tensor, and nothing shows. What is read is W_V "
            "value."
        ),
        FORMULA,
    ),
    Misconception(
        "output-map-missing",
        with_step(mix=_unmixed),
        _(
            "W_O is missing: the result is the heads beside each other. Each column then holds "
            "what one head has read and nothing else, so what two heads have found never meets, "
            "and the width is num_heads * d_value, which need not be d_model."
        ),
        OUTPUT,
    ),
)

SCALES = (
    Misconception(
        "root-of-d-model",
        with_step(divisor=lambda d_model, num_heads, d_head: d_model**0.5),
        _(
            "The scores are divided by the root of the model's width. Each head's dot product sums "
            "over d_head terms only, so its spread is the root of d_head. Divided by more, the "
            "scores shrink, the more heads the more, and every head's weights are too flat."
        ),
        FORMULA,
        (with_step(divisor=lambda d_model, num_heads, d_head: (num_heads * d_head) ** 0.5),),
    ),
    Misconception(
        "width-of-the-model",
        with_step(divisor=lambda d_model, num_heads, d_head: (d_model // num_heads) ** 0.5),
        _(
            "The width of a head is taken as d_model / num_heads. That is the usual choice and no "
            "rule. Here d_head is the number of rows of W_Q over num_heads, d_value that of W_V. "
            "Read them off the matrices."
        ),
        OUTPUT,
        (
            with_step(divisor=lambda d_model, num_heads, d_head: (d_model / num_heads) ** 0.5),
            *(_width_of_the_model(*choices) for choices in product((True, False), repeat=2)),
        ),
        case=NARROW_VALUES,
    ),
    Misconception(
        "root-of-num-heads",
        with_step(divisor=lambda d_model, num_heads, d_head: num_heads**0.5),
        _(
            "The scores are divided by the number of heads, or by its root. However many heads "
            "there are, the dot product of one of them sums over d_head terms. Eight heads of "
            "width 64 divide by 8 because 8 is the root of 64."
        ),
        FORMULA,
        (with_step(divisor=lambda d_model, num_heads, d_head: num_heads),),
    ),
    Misconception(
        "root-of-d-value",
        _scaled_by_values,
        _(
            "The scores are divided by the root of d_value, the width of a head's values. A score "
            "is a dot product of a query and a key, so it sums over d_head terms; the values come "
            "later. Where the two widths are equal, as in the paper, nothing shows."
        ),
        FORMULA,
        case=NARROW_VALUES,
    ),
    Misconception(
        "no-scale",
        with_step(divisor=lambda d_model, num_heads, d_head: 1),
        _(
            "The scores are not scaled. The dot product of two random vectors has the variance "
            "d_head, so wide heads give large scores, nearly all weight falls on one key, and the "
            "softmax passes hardly any gradient. Divide by the root of d_head."
        ),
        FORMULA,
    ),
    Misconception(
        "root-missing",
        with_step(divisor=lambda d_model, num_heads, d_head: d_head),
        _(
            "The scores are divided by d_head, not by its root. They then shrink as heads get "
            "wider, and the weights come out too flat. The spread of a dot product is the root of "
            "the number of its terms."
        ),
        FORMULA,
    ),
)

MISCONCEPTIONS = (*HEADS, *MAPS, *SCALES, *MASKING, *JOINING)
