"""A causal mask that lets a position read the last few, and the very first."""

import torch
from jaxtyping import Bool
from torch import Tensor

from bottomup.checks import check_device, check_integer


def sliding_window_mask(
    n: int,
    width: int | None = None,
    *,
    sinks: int = 0,
    first: int = 0,
    device: torch.device | str | None = None,
) -> Bool[Tensor, "query key"]:
    """Let position i read the `width` positions that end with itself.

    ``mask[i, j] = j <= i and (i - j < width or j < sinks)``

    Through L layers a position reaches back over ``L (width - 1)`` others, so
    that what it says can depend on ``L (width - 1) + 1`` tokens. Sinks are
    first positions that all later ones may read, too.

    Args:
        n: number of keys.
        width: positions in the window, the reading one among them; None for all
            that came before.
        sinks: number of first positions that stay in reach.
        first: position of the first query; for decoding that goes on. There are
            ``n - first`` queries.
        device: where the mask lies.

    Source: Jiang et al. (2023) for the window, Xiao et al. (2024) for the
    sinks. Chapter 10b measures both.
    """
    check_integer("n", n, at_least=1)
    check_integer("sinks", sinks, at_least=0)
    check_first(first, n)
    check_device("device", device)
    key = torch.arange(n, device=device)
    distance = key[first:, None] - key  # [query, key]
    if width is None:
        return distance >= 0
    check_integer("width", width, at_least=1)
    return (distance >= 0) & ((distance < width) | (key < sinks))


def check_first(first: int, n: int) -> None:
    """Check the position of the first of the queries among n keys.

    Args:
        first: it.
        n: number of keys.

    Chapter 10b needs it.
    """
    check_integer("first", first, at_least=0)
    if first >= n:
        raise ValueError(
            f"first: expected a position among {n} keys, got {first}"
        )
