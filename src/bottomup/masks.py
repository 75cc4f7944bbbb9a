"""Masks: boolean tensors that say which query position may attend to which key position.

True = may attend, everywhere in this package. A mask broadcasts to ``[..., query, key]``.
Chapter 01 needs the padding mask, chapter 02 derives the causal one, and chapter 07 the patterns of
sparse Transformers.
"""

import torch
from jaxtyping import Bool, Int64
from torch import Tensor

from bottomup.checks import check_integer, check_tensor


def padding_mask(
    lengths: Int64[Tensor, " batch"], width: int | None = None
) -> Bool[Tensor, "batch 1 key"]:
    """Let every query attend to the first `lengths[b]` keys of sequence `b`.

    ``mask[b, 0, j] = j < lengths[b]``

    Args:
        lengths: number of real tokens in each sequence; 0 gives a fully masked row.
        width: number of keys; by default the largest length.

    Raises:
        TypeError: `lengths` is not an int64 tensor, or `width` no integer.
        ValueError: `lengths` has no or several axes, a length lies outside [0, width], or `width`
            is below 1.

    Chapter 01 needs it.
    """
    check_tensor("lengths", lengths)
    if lengths.dtype != torch.int64:
        raise TypeError(f"lengths: expected dtype torch.int64, got {lengths.dtype}")
    if lengths.dim() != 1 or lengths.numel() == 0:
        raise ValueError(f"lengths: expected non-empty axes [batch], got {tuple(lengths.shape)}")
    longest = int(lengths.max())
    width = max(longest, 1) if width is None else width
    check_integer("width", width, at_least=1)
    if int(lengths.min()) < 0 or longest > width:
        raise ValueError(f"lengths: expected lengths in [0, {width}], got {lengths.tolist()}")
    keys = torch.arange(width, device=lengths.device)
    return (keys < lengths[:, None])[:, None, :]


def causal_mask(n: int, *, device: torch.device | str | None = None) -> Bool[Tensor, "query key"]:
    """Let position i attend to itself and to what stands before it: ``mask[i, j] = j <= i``.

    Raises:
        TypeError, ValueError: `n` is not an integer of at least 1.

    Source: Vaswani et al. (2017), section 3.2.3. Chapter 02 derives it.
    """
    check_integer("n", n, at_least=1)
    return torch.ones(n, n, dtype=torch.bool, device=device).tril()


def window_mask(
    n: int, width: int, *, device: torch.device | str | None = None
) -> Bool[Tensor, "query key"]:
    """Let position i attend to positions at most `width` away: ``mask[i, j] = |i - j| <= width``.

    Raises:
        TypeError, ValueError: `n` is not an integer of at least 1, `width` not one of at least 0.

    Chapter 07 uses it.
    """
    check_integer("n", n, at_least=1)
    check_integer("width", width, at_least=0)
    position = torch.arange(n, device=device)
    return (position[:, None] - position).abs() <= width


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

    Raises:
        TypeError, ValueError: `n` or `stride` is not an integer of at least 1.

    Source: Child et al. (2019), section 4.3, "strided". Chapter 07 derives it.
    """
    check_integer("n", n, at_least=1)
    check_integer("stride", stride, at_least=1)
    position = torch.arange(n, device=device)
    back = position[:, None] - position  # i - j
    width = stride + 1 if paper_window else stride
    return (back >= 0) & (back < width), (back >= 0) & (back % stride == 0)


def fixed_masks(
    n: int, block: int, summary: int = 1, *, device: torch.device | str | None = None
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

    Raises:
        TypeError: an argument is no integer.
        ValueError: `n` or `block` is below 1, or `summary` lies outside [1, block].

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

    Raises:
        TypeError: an argument is no integer.
        ValueError: it lies outside its range.

    Source: Child et al. (2019), section 4.3, "fixed". Chapter 07 derives it.
    """
    check_integer("block", block, at_least=1)
    check_integer("summary", summary, at_least=1)
    if summary > block:
        raise ValueError(f"summary: expected an integer in [1, block={block}], got {summary}")
