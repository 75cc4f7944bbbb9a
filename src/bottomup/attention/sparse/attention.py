"""Attention to one set of positions, to two at once, and how softmaxes merge.

Attention to sets is causal. It returns the output only, zeros where a position
may read nothing: no matrix [query, key] exists. `plans` cuts a set into dense
products, and `kernel` merges their softmaxes as `merge_attention` does. The
cost is O(n sqrt(n) d) in place of O(n^2 d).
"""

from collections.abc import Callable, Sequence
from functools import partial

import torch
from jaxtyping import Bool, Float, Float32, Float64
from torch import Tensor

from bottomup.attention.fused import fused_attention
from bottomup.attention.scaled_dot_product import scaled_dot_scores
from bottomup.attention.scored import attend
from bottomup.attention.sparse.kernel import run_plan
from bottomup.attention.sparse.patterns import (
    SparsePattern,
    check_even,
    check_pattern,
    check_summary,
)
from bottomup.attention.sparse.plans import (
    Plan,
    block_plan,
    column_plan,
    fixed_plan,
    strided_plan,
    summary_plan,
    window_plan,
)
from bottomup.checks import check_choice, check_integer, check_mask, checked
from bottomup.precision import widened

# ---- Two sets


@checked
def strided_attention(
    query: Float[Tensor, "batch head n d_key"],
    key: Float[Tensor, "batch head n d_key"],
    value: Float[Tensor, "batch head n d_value"],
    mask: Bool[Tensor, "..."] | None = None,
    *,
    stride: int,
    merge: str = "union",
) -> Float[Tensor, "batch head n d_value"]:
    """Attend to the last `stride` positions, and to every `stride`-th one back.

    ``window(i) = {j: 0 <= i - j < stride}``,
    ``column(i) = {j <= i: (i - j) % stride == 0}``

    ``output[i] = sum_j softmax_j(query[i] · key[j] / sqrt(d_key)) value[j]``

    With ``merge="union"`` j runs over both sets, in one softmax, and i itself,
    which is in both, counts once: the paper's merged head. With
    ``merge="heads"`` the first half of the heads attends to the window and the
    second half to the column.

    The window has `stride` positions; the paper's formula gives one more,
    ``0 <= i - j <= stride``. That position is in the column too, so the union
    is the same.

    Args:
        query, key, value: one vector for each position, split into heads;
            d_value is free, though a CPU is faster with d_value = d_key.
        mask: True = the position may be read, False = it is padding;
            [batch, key] or [batch, 1, key], as `bottomup.masks.padding_mask`
            gives it.
        stride: l; about sqrt(n) costs least, and for an image the length of a
            row.
        merge: "union" or "heads".

    Returns:
        The output; zeros where a position may read nothing. Its gradient has no
        gradient.

    Source: Child et al. (2019), sections 4.2 and 4.3; section 5.1 for one head
    with both sets or heads with one each. Chapter 07 derives it.

    Example:
        >>> value = torch.arange(4.0).reshape(1, 1, 4, 1)
        >>> same = torch.zeros(1, 1, 4, 2)  # equal scores: every row is a mean
        >>> strided_attention(same, same, value, stride=2).flatten()
        tensor([0.0000, 0.5000, 1.0000, 2.0000])
    """
    check_integer("stride", stride, at_least=1)
    check_choice("merge", merge, ("union", "heads"))
    n = int(query.shape[-2])
    if merge == "union":
        return _read(query, key, value, mask, strided_plan(n, stride))
    plans = window_plan(n, stride), column_plan(n, stride)
    return _read_by_halves(query, key, value, mask, plans)


@checked
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
    """Attend to one's own block up to oneself, and to the end of every block.

    ``own(i) = {j <= i: j // block == i // block}``,
    ``summaries(i) = {j <= i: j % block >= block - summary}``

    ``output[i] = sum_j softmax_j(query[i] · key[j] / sqrt(d_key)) value[j]``

    With ``merge="union"`` j runs over both sets, in one softmax, and the own
    block's summaries, which are in both, count once. With ``merge="heads"`` the
    first half of the heads attends to the own block and the second half to the
    summaries; there a position before the first summary reads zeros.

    Args:
        query, key, value, mask: as in `strided_attention`.
        block: l, the number of positions in a block; the last one may be cut.
        summary: c, how many of a block's last positions later blocks may read,
            from 1 to `block`.
        merge: "union" or "heads".

    Returns:
        The output; zeros where a position may read nothing.

    Source: Child et al. (2019), sections 4.2 and 4.3; section 5.1 for one head
    with both sets or heads with one each. Chapter 07 derives it.

    Example:
        >>> value = torch.arange(4.0).reshape(1, 1, 4, 1)
        >>> same = torch.zeros(1, 1, 4, 2)  # equal scores: every row is a mean
        >>> fixed_attention(same, same, value, block=2).flatten()
        tensor([0.0000, 0.5000, 1.5000, 2.0000])
    """
    check_summary(block, summary)
    check_choice("merge", merge, ("union", "heads"))
    n = int(query.shape[-2])
    if merge == "union":
        return _read(query, key, value, mask, fixed_plan(n, block, summary))
    plans = block_plan(n, block), summary_plan(n, block, summary)
    return _read_by_halves(query, key, value, mask, plans)


@checked
def sparse_attention(
    query: Float[Tensor, "batch head n d_key"],
    key: Float[Tensor, "batch head n d_key"],
    value: Float[Tensor, "batch head n d_value"],
    *,
    pattern: SparsePattern,
    layer: int = 0,
) -> Float[Tensor, "batch head n d_value"]:
    """Attend to the positions of a pattern, whatever its kind.

    Args:
        query, key, value: as in `strided_attention`.
        pattern: what each position reads.
        layer: the layer's number, which counts with ``merge="layers"`` alone.

    Returns:
        The output; zeros where a fixed pattern's second set, alone in a head or
        a layer, has no summary yet.

    Source: Child et al. (2019), section 5.1, equations 6 to 8. Chapter 07
    derives it.
    """
    check_pattern(pattern, query.shape[1])
    width, summary, merge = pattern.width, pattern.summary, pattern.merge
    attentions: dict[str, Callable[..., Tensor]] = {
        "dense": lambda *heads: fused_attention(*heads, causal=True)[0],
        "strided": partial(strided_attention, stride=width, merge=merge),
        "fixed": partial(
            fixed_attention, block=width, summary=summary, merge=merge
        ),
        "window": partial(window_attention, width=width),
        "column": partial(column_attention, stride=width),
        "block": partial(block_attention, block=width),
        "summary": partial(summary_attention, block=width, summary=summary),
    }
    return attentions[pattern.read_by(layer)](query, key, value)


# ---- One set


@checked
def window_attention(
    query: Float[Tensor, "batch head n d_key"],
    key: Float[Tensor, "batch head n d_key"],
    value: Float[Tensor, "batch head n d_value"],
    mask: Bool[Tensor, "..."] | None = None,
    *,
    width: int,
) -> Float[Tensor, "batch head n d_value"]:
    """Attend to the last `width` positions, oneself counted.

    ``output[i] = sum_j softmax_j(query[i] · key[j] / sqrt(d_key)) value[j]``
    over every j with ``0 <= i - j < width``

    A tile of C queries is multiplied with the ``width + C`` positions, about,
    that end with it: ``n (width + C)`` scores; C is about a quarter of the
    width, a multiple of 32, or 16 for widths up to 17.

    Args:
        query, key, value, mask: as in `strided_attention`.
        width: number of positions in the window.

    Source: Child et al. (2019), section 4.3, the first set of "strided" with
    ``width = l`` (with l + 1 as printed there). Chapter 07 derives it.
    """
    check_integer("width", width, at_least=1)
    return _read(
        query, key, value, mask, window_plan(int(query.shape[-2]), width)
    )


@checked
def column_attention(
    query: Float[Tensor, "batch head n d_key"],
    key: Float[Tensor, "batch head n d_key"],
    value: Float[Tensor, "batch head n d_value"],
    mask: Bool[Tensor, "..."] | None = None,
    *,
    stride: int,
) -> Float[Tensor, "batch head n d_value"]:
    """Attend to every `stride`-th position back from oneself.

    Those are all j <= i with ``(i - j) % stride == 0``. Written as rows of
    `stride` positions each, the sequence is a table, and position i reads its
    column from the top down to itself. The table is transposed and each column
    attends causally: ``stride ceil(n / stride)^2`` scores.

    Args:
        query, key, value, mask: as in `strided_attention`.
        stride: l, the distance between two positions of a column.

    Source: Child et al. (2019), section 4.3, the second set of "strided".
    Chapter 07 derives it.
    """
    check_integer("stride", stride, at_least=1)
    return _read(
        query, key, value, mask, column_plan(int(query.shape[-2]), stride)
    )


@checked
def block_attention(
    query: Float[Tensor, "batch head n d_key"],
    key: Float[Tensor, "batch head n d_key"],
    value: Float[Tensor, "batch head n d_value"],
    mask: Bool[Tensor, "..."] | None = None,
    *,
    block: int,
) -> Float[Tensor, "batch head n d_value"]:
    """Attend to one's own block, up to oneself.

    Those are all j <= i with ``j // block == i // block``. Each block attends
    causally, by itself: ``ceil(n / block) block^2`` scores.

    Args:
        query, key, value, mask: as in `strided_attention`.
        block: l, the number of positions in a block; the last one may be cut.

    Source: Child et al. (2019), section 4.3, the first set of "fixed". Chapter
    07 derives it.
    """
    check_integer("block", block, at_least=1)
    return _read(
        query, key, value, mask, block_plan(int(query.shape[-2]), block)
    )


@checked
def summary_attention(
    query: Float[Tensor, "batch head n d_key"],
    key: Float[Tensor, "batch head n d_key"],
    value: Float[Tensor, "batch head n d_value"],
    mask: Bool[Tensor, "..."] | None = None,
    *,
    block: int,
    summary: int = 1,
) -> Float[Tensor, "batch head n d_value"]:
    """Attend to the last positions of every block.

    Those are all j <= i with ``j % block >= block - summary``. The positions
    before the first block's last `summary` read nothing: their output is zero.

    Args:
        query, key, value, mask: as in `strided_attention`.
        block: l, the number of positions in a block.
        summary: c, how many of its last positions others may read, from 1 to
            `block`.

    Source: Child et al. (2019), section 4.3, the second set of "fixed". Chapter
    07 derives it.
    """
    check_summary(block, summary)
    plan = summary_plan(int(query.shape[-2]), block, summary)
    return _read(query, key, value, mask, plan)


def _read(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, plan: Plan
) -> Tensor:
    if mask is not None:
        batch, _, n, _ = query.shape
        shape = (batch, 1, n) if mask.dim() == 3 else (batch, n)
        check_mask("mask", mask, shape)
        mask = mask.expand(shape).reshape(batch, n)  # [batch, key]
    return run_plan(query, key, value, mask, plan)


def _read_by_halves(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    plans: tuple[Plan, Plan],
) -> Tensor:
    """Let half of the heads read as the first plan says, half as the second."""
    check_even(query.shape[1])
    halves = (heads.chunk(2, dim=1) for heads in (query, key, value))
    read = [
        _read(query, key, value, mask, plan)
        for query, key, value, plan in zip(*halves, plans, strict=True)
    ]
    return torch.cat(read, dim=1)  # [batch, head, n, d_value]


# ---- One softmax from several


@checked
def partial_attention(
    query: Float[Tensor, "*leading query d_key"],
    key: Float[Tensor, "*leading key d_key"],
    value: Float[Tensor, "*leading key d_value"],
    mask: Bool[Tensor, "..."] | None = None,
) -> tuple[
    Float[Tensor, "*leading query d_value"], Float[Tensor, "*leading query"]
]:
    """Attend to some of the keys, and say how much score lies there.

    ``output[i] = sum_j exp(s[i, j] - log_sum[i]) value[j]``,
    ``log_sum[i] = log sum_j exp(s[i, j])``,
    ``s[i, j] = query[i] · key[j] / sqrt(d_key)``,
    where j runs over the keys that the mask allows

    Returns:
        The output, and the log-sum-exp of the scores, which stays in float32
        beside an output in half precision. A query that may attend to no key
        has the output 0 and the log-sum-exp -inf.

    Source: the softmax's denominator in Vaswani et al. (2017), equation 1.
    Chapter 07 derives it.

    Example:
        >>> same, value = torch.zeros(2, 3), torch.tensor([[2.0], [4.0]])
        >>> output, log_sum = partial_attention(same, same, value)
        >>> output, log_sum.exp()  # each key has the score 0
        (tensor([[3.],
                [3.]]), tensor([2., 2.]))
    """
    scores = scaled_dot_scores(widened(query), widened(key))
    output, _ = attend(scores, widened(value), mask)  # [..., query, d_value]
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)  # [..., query, key]
    return output.to(value.dtype), _log_sum_exp(scores)


@checked
def merge_attention(
    outputs: Sequence[Float[Tensor, "*leading query d_value"]],
    log_sums: Sequence[
        Float32[Tensor, "*leading query"] | Float64[Tensor, "*leading query"]
    ],
) -> tuple[
    Float[Tensor, "*leading query d_value"], Float[Tensor, "*leading query"]
]:
    """Turn attention to several disjoint sets of keys into one to all of them.

    ``log_sum = log sum_p exp(log_sums[p])``,
    ``output = sum_p exp(log_sums[p] - log_sum) outputs[p]``

    Part p's weights sum to one over its own keys. In the softmax over all keys
    they have the share ``exp(log_sums[p] - log_sum)``. A key that stands in two
    sets counts twice: the sets must be disjoint. Adding two outputs, or taking
    their mean, is another thing: each set would then have the same share,
    whatever its scores.

    Args:
        outputs: what each part has read.
        log_sums: the log-sum-exp of each part's scores, not in half precision;
            -inf for a part without any key.

    Returns:
        The output and the log-sum-exp over all keys, so that merging can go on.
        Where every part is without keys, the output is 0, its gradient 0, and
        the log-sum-exp -inf.

    Source: the rescaling of Milakov & Gimelshein (2018), section 3. Chapter 07
    derives it.

    Example:
        >>> outputs = torch.tensor([[1.0]]), torch.tensor([[4.0]])
        >>> sums = torch.tensor([0.0]), torch.tensor([2.0]).log()
        >>> merge_attention(outputs, sums)[0]  # (1 + 2 * 4) / 3
        tensor([[3.]])
    """
    if len(outputs) == 0 or len(outputs) != len(log_sums):
        raise ValueError(
            "log_sums: expected one for each output, and at least one, "
            f"got {len(log_sums)} for {len(outputs)} outputs"
        )
    sums = torch.stack(list(log_sums))  # [part, ..., query]
    log_sum = _log_sum_exp(sums.movedim(0, -1))  # [..., query]
    empty = log_sum == -torch.inf
    # A softmax rounds less than exp(log_sums[p] - log_sum) at large scores.
    shares = sums.masked_fill(empty, 0.0).softmax(dim=0).masked_fill(empty, 0.0)
    parts = zip(shares, outputs, strict=True)
    output = sum(share[..., None] * output for share, output in parts)
    # [..., query, d_value] and [..., query]
    return output.to(outputs[0].dtype), log_sum


def _log_sum_exp(
    scores: Float[Tensor, "*leading key"],
) -> Float[Tensor, "*leading"]:
    """Return ``log sum_j exp(scores[j])``; -inf, its gradient 0, if all are."""
    empty = (scores == -torch.inf).all(dim=-1)
    filled = scores.masked_fill(empty[..., None], 0.0)
    return filled.logsumexp(dim=-1).masked_fill(empty, -torch.inf)
