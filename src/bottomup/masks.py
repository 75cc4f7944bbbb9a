"""Masks: boolean tensors that say which query position may attend to which key position.

True = may attend, everywhere in this package. A mask broadcasts to ``[..., query, key]``.
Chapter 01 needs the padding mask, chapter 02 derives the causal one.
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
        TypeError: `lengths` is not an integer tensor.
        ValueError: it has no or several axes, or a length lies outside [0, width].
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
    """
    check_integer("n", n, at_least=1)
    return torch.ones(n, n, dtype=torch.bool, device=device).tril()


def window_mask(
    n: int, width: int, *, device: torch.device | str | None = None
) -> Bool[Tensor, "query key"]:
    """Let position i attend to positions at most `width` away: ``mask[i, j] = |i - j| <= width``.

    Raises:
        TypeError, ValueError: `n` is not an integer of at least 1, `width` not one of at least 0.
    """
    check_integer("n", n, at_least=1)
    check_integer("width", width, at_least=0)
    position = torch.arange(n, device=device)
    return (position[:, None] - position).abs() <= width
