"""Attention to one set of positions each: a window, a column, a block, the summaries of blocks.

`bottomup.attention.sparse` puts two of them together. Each is causal, and each computes products of
blocks instead of all n^2 scores. They return the output only: no matrix of weights exists.
"""

from jaxtyping import Bool, Float
from torch import Tensor

from bottomup.attention.sparse_checks import check_positions
from bottomup.attention.sparse_engine import run_plan
from bottomup.attention.sparse_parts import (
    block_plan,
    column_plan,
    summary_plan,
    window_plan,
)
from bottomup.checks import check_integer
from bottomup.masks import check_summary


def window_attention(
    query: Float[Tensor, "batch head n d_key"],
    key: Float[Tensor, "batch head n d_key"],
    value: Float[Tensor, "batch head n d_value"],
    mask: Bool[Tensor, "..."] | None = None,
    *,
    width: int,
) -> Float[Tensor, "batch head n d_value"]:
    """Attend to the last `width` positions, oneself counted: every j with ``0 <= i - j < width``.

    ``output[i] = sum_j softmax_j(query[i] · key[j] / sqrt(d_key)) value[j]`` over these j

    A tile of C queries is multiplied with the ``width + C`` positions, about, that end with it:
    ``n (width + C)`` scores; C is about a quarter of the width, a multiple of 32, or 16 for widths
    up to 17.

    Args:
        query, key, value: one vector for each position; d_value is free, though a CPU is faster
            with d_value = d_key.
        mask: True = the position may be read, False = it is padding; [batch, key] or
            [batch, 1, key], as `bottomup.masks.padding_mask` gives it.
        width: number of positions in the window.

    Returns:
        The output; zeros where a position may read nothing.

    Source: Child et al. (2019), section 4.3, the first set of "strided" with ``width = l`` (with
    l + 1 as printed there). Chapter 07 derives it.
    """
    n, keys = check_positions(query, key, value, mask)
    check_integer("width", width, at_least=1)
    return run_plan(query, key, value, keys, window_plan(n, width))


def column_attention(
    query: Float[Tensor, "batch head n d_key"],
    key: Float[Tensor, "batch head n d_key"],
    value: Float[Tensor, "batch head n d_value"],
    mask: Bool[Tensor, "..."] | None = None,
    *,
    stride: int,
) -> Float[Tensor, "batch head n d_value"]:
    """Attend to every `stride`-th position back from oneself: j <= i, ``(i - j) % stride == 0``.

    Written as rows of `stride` positions each, the sequence is a table, and position i reads its
    column from the top down to itself. The table is transposed and each column attends causally:
    ``stride ceil(n / stride)^2`` scores.

    Args:
        query, key, value, mask: as in `window_attention`.
        stride: l, the distance between two positions of a column.

    Returns:
        The output; zeros where a position may read nothing.

    Source: Child et al. (2019), section 4.3, the second set of "strided". Chapter 07 derives it.
    """
    n, keys = check_positions(query, key, value, mask)
    check_integer("stride", stride, at_least=1)
    return run_plan(query, key, value, keys, column_plan(n, stride))


def block_attention(
    query: Float[Tensor, "batch head n d_key"],
    key: Float[Tensor, "batch head n d_key"],
    value: Float[Tensor, "batch head n d_value"],
    mask: Bool[Tensor, "..."] | None = None,
    *,
    block: int,
) -> Float[Tensor, "batch head n d_value"]:
    """Attend to one's own block, up to oneself: j <= i, ``j // block == i // block``.

    Each block attends causally, by itself: ``ceil(n / block) block^2`` scores.

    Args:
        query, key, value, mask: as in `window_attention`.
        block: l, the number of positions in a block; the last block may be cut.

    Returns:
        The output; zeros where a position may read nothing.

    Source: Child et al. (2019), section 4.3, the first set of "fixed". Chapter 07 derives it.
    """
    n, keys = check_positions(query, key, value, mask)
    check_integer("block", block, at_least=1)
    return run_plan(query, key, value, keys, block_plan(n, block))


def summary_attention(
    query: Float[Tensor, "batch head n d_key"],
    key: Float[Tensor, "batch head n d_key"],
    value: Float[Tensor, "batch head n d_value"],
    mask: Bool[Tensor, "..."] | None = None,
    *,
    block: int,
    summary: int = 1,
) -> Float[Tensor, "batch head n d_value"]:
    """Attend to the last positions of every block: j <= i, ``j % block >= block - summary``.

    The positions before the first block's last `summary` read nothing: their output is zero.

    Args:
        query, key, value, mask: as in `window_attention`.
        block: l, the number of positions in a block.
        summary: c, how many of its last positions others may read.

    Returns:
        The output; zeros where a position may read nothing.

    Source: Child et al. (2019), section 4.3, the second set of "fixed". Chapter 07 derives it.
    """
    n, keys = check_positions(query, key, value, mask)
    check_summary(block, summary)
    return run_plan(query, key, value, keys, summary_plan(n, block, summary))
