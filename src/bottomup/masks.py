"""Masks: boolean tensors that say which query may attend to which key.

True = may attend, everywhere in this package. A mask broadcasts to
``[..., query, key]``. The softmax that obeys one stands here, too.
"""

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from bottomup.checks import check_integer, check_mask, checked


@checked
def padding_mask(
    lengths: Int64[Tensor, " batch"], width: int | None = None
) -> Bool[Tensor, "batch 1 key"]:
    """Let every query attend to the first `lengths[b]` keys of sequence `b`.

    ``mask[b, 0, j] = j < lengths[b]``

    Args:
        lengths: number of real tokens in each sequence, from 0 to `width`; 0
            gives a row that may read nothing.
        width: number of keys; by default the largest length.

    Chapter 01 needs it.
    """
    longest = int(lengths.max())
    width = max(longest, 1) if width is None else width
    check_integer("width", width, at_least=1)
    if int(lengths.min()) < 0 or longest > width:
        raise ValueError(
            f"lengths: expected lengths in [0, {width}], got {lengths.tolist()}"
        )
    keys = torch.arange(width, device=lengths.device)
    return (keys < lengths[:, None])[:, None, :]


def causal_mask(
    n: int, *, device: torch.device | str | None = None
) -> Bool[Tensor, "query key"]:
    """Let position i attend to itself and to what stands before it.

    ``mask[i, j] = j <= i``

    Source: Vaswani et al. (2017), section 3.2.3. Chapter 02 derives it.
    """
    check_integer("n", n, at_least=1)
    return torch.ones(n, n, dtype=torch.bool, device=device).tril()


def window_mask(
    n: int, width: int, *, device: torch.device | str | None = None
) -> Bool[Tensor, "query key"]:
    """Let position i attend to positions at most `width` away.

    ``mask[i, j] = |i - j| <= width``

    Chapter 07 uses it.
    """
    check_integer("n", n, at_least=1)
    check_integer("width", width, at_least=0)
    position = torch.arange(n, device=device)
    return (position[:, None] - position).abs() <= width


@checked
def masked_softmax(
    scores: Float[Tensor, "*leading query key"],
    mask: Bool[Tensor, "..."] | None = None,
    *,
    causal: bool = False,
    in_place: bool = False,
) -> Float[Tensor, "*leading query key"]:
    """Turn scores into weights that sum to one over each query's allowed keys.

    ``weights[i, j] = exp(scores[i, j]) / sum_k exp(scores[i, k])``, where j and
    k run over the keys allowed for query i; every other weight is zero.

    A query that may attend to no key gets zero weights, and its gradient is
    zero, not NaN.

    Args:
        scores: any real numbers, one for each pair of query and key.
        mask: True = may attend; broadcasts to the shape of `scores`.
        causal: whether query i may attend to no key behind position i.
        in_place: whether the scores, not needed any more, may be overwritten.

    Source: Bahdanau et al. (2015), section 3.1, the equation for alpha_ij;
    padding is left implicit there. Chapter 01 derives it.
    """
    mask = joined(mask, causal, scores.shape, scores.device)
    if mask is None:
        return scores.softmax(dim=-1)
    empty = empty_rows(mask)  # [..., query, 1]
    # A row of -inf alone would give 0/0, so empty rows keep their scores here.
    blocked = ~mask if empty is None else ~(mask | empty)
    fill = Tensor.masked_fill_ if in_place else Tensor.masked_fill
    weights = fill(scores, blocked, -torch.inf).softmax(dim=-1)
    return weights if empty is None else weights.masked_fill(empty, 0.0)


def joined(
    mask: Bool[Tensor, "..."] | None,
    causal: bool,
    shape: tuple[int, ...],
    device: torch.device,
) -> Bool[Tensor, "..."] | None:
    """Join a mask to the causal one, for scores [..., query, key].

    Returns:
        A mask that broadcasts to `shape`; None where everything is allowed.
    """
    check_mask("mask", mask, shape)
    if not causal:
        return mask
    check_causal(shape)
    triangle = causal_mask(shape[-1], device=device)
    return triangle if mask is None else mask & triangle


def check_causal(shape: tuple[int, ...]) -> None:
    """Check that there are as many queries as keys in [..., query, key]."""
    if shape[-2] != shape[-1]:
        raise ValueError(
            f"causal: expected as many queries as keys, got {shape[-2]} and {shape[-1]}"
        )


def empty_rows(mask: Bool[Tensor, "*leading key"]) -> Tensor | None:
    """Return which queries may attend to no key, [..., query, 1].

    None if there are none; a GPU is not asked, since the program would wait.
    """
    empty = ~mask.any(dim=-1, keepdim=True)
    return None if empty.is_cpu and not empty.any() else empty


def strided_masks(
    n: int,
    stride: int,
    *,
    paper_window: bool = False,
    device: torch.device | str | None = None,
) -> tuple[Bool[Tensor, "query key"], Bool[Tensor, "query key"]]:
    """Return the two sets of strided attention: a window behind each position, and its column.

    ``window[i, j] = 0 <= i - j < stride``, ``column[i, j] = j <= i and (i - j) % stride == 0``

    The window holds `stride` positions, i among them, as in the authors' published code. The
    formula in the paper starts at ``max(0, i - stride)``, one position more: `paper_window` gives
    ``0 <= i - j <= stride``. Position ``i - stride`` then stands in both sets, so that two heads
    read it twice; the union ``window | column`` is the same either way. Position i itself is in
    both sets in each case.

    The paper prints the column without j <= i, which its text requires of every set. Without it
    position i would read later positions; here it is part of both sets.

    Args:
        n: number of positions.
        stride: l, the width of the window and the distance between a column's positions.
        paper_window: whether the window has ``stride + 1`` positions.

    Source: Child et al. (2019), section 4.3, "strided". Chapter 07 derives it.
    """
    check_integer("n", n, at_least=1)
    check_integer("stride", stride, at_least=1)
    position = torch.arange(n, device=device)
    back = position[:, None] - position  # i - j
    width = stride + 1 if paper_window else stride
    return (back >= 0) & (back < width), (back >= 0) & (back % stride == 0)


def fixed_masks(
    n: int,
    block: int,
    summary: int = 1,
    *,
    device: torch.device | str | None = None,
) -> tuple[Bool[Tensor, "query key"], Bool[Tensor, "query key"]]:
    """Return the two sets of fixed attention: a position's own block, and every block's summaries.

    ``own[i, j] = j <= i and j // block == i // block``,
    ``summaries[i, j] = j <= i and j % block >= block - summary``

    The last `summary` positions of a block can be read by everything after them. A position before
    the first of them has no summary to read: its row of the second mask is empty.

    The paper prints both sets without j <= i, which its text requires. Here it is part of both.

    Args:
        n: number of positions; the last block may be cut.
        block: l, the number of positions in a block.
        summary: c, the number of a block's last positions that later blocks can read.

    Source: Child et al. (2019), section 4.3, "fixed". Chapter 07 derives it.
    """
    check_integer("n", n, at_least=1)
    check_summary(block, summary)
    position = torch.arange(n, device=device)
    own = position[:, None] // block == position // block
    summaries = (position % block >= block - summary).expand(n, n)
    return own.tril(), summaries.tril()


def check_summary(block: int, summary: int) -> None:
    """Check the sizes of fixed attention: `block` of at least 1, `summary` in [1, block].

    Source: Child et al. (2019), section 4.3, "fixed". Chapter 07 derives it.
    """
    check_integer("block", block, at_least=1)
    check_integer("summary", summary, at_least=1)
    if summary > block:
        raise ValueError(
            f"summary: expected an integer in [1, block={block}], got {summary}"
        )
