"""Factorised attention (Child et al., 2019): two sets of about sqrt(n) positions instead of all n.

- strided: the last l positions, and every l-th position back from there.
- fixed: the own block of l positions, and the last c positions of every block.

Either set has about sqrt(n) positions if l is about sqrt(n) and c is small; then the cost is
O(n sqrt(n) d) in place of O(n^2 d), in time as in scores computed. Nothing here forms a matrix
[query, key]. `bottomup.masks.strided_masks` and `fixed_masks` give the same patterns as masks.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from bottomup.attention.sparse_checks import check_merge, check_positions
from bottomup.attention.sparse_engine import run_plan
from bottomup.attention.sparse_parts import (
    Plan,
    block_plan,
    column_plan,
    fixed_plan,
    strided_plan,
    summary_plan,
    window_plan,
)
from bottomup.checks import check_integer
from bottomup.masks import check_summary


def strided_attention(
    query: Float[Tensor, "batch head n d_key"],
    key: Float[Tensor, "batch head n d_key"],
    value: Float[Tensor, "batch head n d_value"],
    mask: Bool[Tensor, "..."] | None = None,
    *,
    stride: int,
    merge: str = "union",
) -> Float[Tensor, "batch head n d_value"]:
    """Attend to the last `stride` positions, and to every `stride`-th position back from oneself.

    ``window(i) = {j: 0 <= i - j < stride}``, ``column(i) = {j <= i: (i - j) % stride == 0}``

    ``output[i] = sum_j softmax_j(query[i] · key[j] / sqrt(d_key)) value[j]``

    With ``merge="union"`` j runs over both sets, in one softmax, and i itself, which is in both,
    counts once: the paper's merged head. With ``merge="heads"`` the first half of the heads attends
    to the window and the second half to the column.

    The window has `stride` positions; the paper's formula gives one more, ``0 <= i - j <= stride``.
    That position is in the column too, so the union is the same.

    Args:
        query, key, value: one vector for each position, split into heads; d_value is free, though
            a CPU is faster with d_value = d_key.
        mask: True = the position may be read, False = it is padding; [batch, key] or
            [batch, 1, key], as `bottomup.masks.padding_mask` gives it.
        stride: l; about sqrt(n) costs least, and for an image the length of a row.
        merge: "union" or "heads".

    Returns:
        The output; zeros where a position may read nothing. Its gradient has no gradient.

    Source: Child et al. (2019), sections 4.2 and 4.3; section 5.1 for one head with both sets or
    heads with one each. Chapter 07 derives it.
    """
    n, keys = check_positions(query, key, value, mask)
    check_integer("stride", stride, at_least=1)
    check_merge(merge, query)
    if merge == "union":
        return run_plan(query, key, value, keys, strided_plan(n, stride))
    plans = window_plan(n, stride), column_plan(n, stride)
    return _half_the_heads_each(query, key, value, keys, plans)


def fixed_attention(
    query: Float[Tensor, "batch head n d_key"],
    key: Float[Tensor, "batch head n d_key"],
    value: Float[Tensor, "batch head n d_value"],
    mask: Bool[Tensor, "..."] | None = None,
    *,
    block: int,
    summary: int = 1,
    merge: str = "union",
) -> Float[Tensor, "batch head n d_value"]:
    """Attend to one's own block up to oneself, and to the last positions of every block.

    ``own(i) = {j <= i: j // block == i // block}``,
    ``summaries(i) = {j <= i: j % block >= block - summary}``

    ``output[i] = sum_j softmax_j(query[i] · key[j] / sqrt(d_key)) value[j]``

    With ``merge="union"`` j runs over both sets, in one softmax, and the own block's summaries,
    which are in both, count once. With ``merge="heads"`` the first half of the heads attends to the
    own block and the second half to the summaries; there a position before the first summary reads
    zeros.

    Args:
        query, key, value, mask: as in `strided_attention`.
        block: l, the number of positions in a block; the last block may be cut.
        summary: c, how many of a block's last positions later blocks may read.
        merge: "union" or "heads".

    Returns:
        The output; zeros where a position may read nothing.

    Source: Child et al. (2019), sections 4.2 and 4.3; section 5.1 for one head with both sets or
    heads with one each. Chapter 07 derives it.
    """
    n, keys = check_positions(query, key, value, mask)
    check_summary(block, summary)
    check_merge(merge, query)
    if merge == "union":
        return run_plan(query, key, value, keys, fixed_plan(n, block, summary))
    plans = block_plan(n, block), summary_plan(n, block, summary)
    return _half_the_heads_each(query, key, value, keys, plans)


def _half_the_heads_each(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    keys: Tensor | None,
    plans: tuple[Plan, Plan],
) -> Tensor:
    halves = (tensor.chunk(2, dim=1) for tensor in (query, key, value))
    return torch.cat(
        [
            run_plan(q, k, v, keys, plan)
            for q, k, v, plan in zip(*halves, plans, strict=True)
        ],
        dim=1,
    )
