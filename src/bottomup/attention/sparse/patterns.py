"""The patterns of Child et al. (2019): which positions each position reads.

- strided: the last l positions, and every l-th position back from there.
- fixed: the own block of l positions, and the last c positions of every block.

A pattern is the union of its two sets. Either set has about sqrt(n) positions
if l is about sqrt(n) and c is small.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import torch
from jaxtyping import Bool
from torch import Tensor

from bottomup.checks import (
    check_choice,
    check_device,
    check_integer,
    check_switch,
)
from bottomup.masks import causal_mask

KINDS = ("dense", "strided", "fixed", "window", "block")
WAYS = ("union", "heads", "layers")
SETS = {"strided": ("window", "column"), "fixed": ("block", "summary")}

MaskMod = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


def strided_masks(
    n: int,
    stride: int,
    *,
    paper_window: bool = False,
    device: torch.device | str | None = None,
) -> tuple[Bool[Tensor, "query key"], Bool[Tensor, "query key"]]:
    """Return the two sets of the strided pattern: a window, and a column.

    ``window[i, j] = 0 <= i - j < stride``,
    ``column[i, j] = j <= i and (i - j) % stride == 0``

    The window holds `stride` positions, i among them, as in the authors'
    published code. The formula in the paper starts at ``max(0, i - stride)``,
    one position more: `paper_window` gives ``0 <= i - j <= stride``. Position
    ``i - stride`` then stands in both sets, so that two heads read it twice;
    the union ``window | column`` is the same either way. Position i itself is
    in both sets in each case.

    The paper prints the column without j <= i, which its text requires of every
    set. Without it position i would read later positions; here it is part of
    both sets.

    Args:
        n: number of positions.
        stride: l, the width of the window and the distance between a column's
            positions.
        paper_window: whether the window has ``stride + 1`` positions.

    Source: Child et al. (2019), section 4.3, "strided". Chapter 07 derives it.

    Example:
        >>> window, column = strided_masks(4, stride=2)
        >>> window.int()
        tensor([[1, 0, 0, 0],
                [1, 1, 0, 0],
                [0, 1, 1, 0],
                [0, 0, 1, 1]], dtype=torch.int32)
        >>> column.int()
        tensor([[1, 0, 0, 0],
                [0, 1, 0, 0],
                [1, 0, 1, 0],
                [0, 1, 0, 1]], dtype=torch.int32)
    """
    check_integer("n", n, at_least=1)
    check_integer("stride", stride, at_least=1)
    check_device("device", device)
    position = torch.arange(n, device=device)
    back = position[:, None] - position  # i - j
    check_switch("paper_window", paper_window)
    width = stride + 1 if paper_window else stride
    return (back >= 0) & (back < width), (back >= 0) & (back % stride == 0)


def fixed_masks(
    n: int,
    block: int,
    summary: int = 1,
    *,
    device: torch.device | str | None = None,
) -> tuple[Bool[Tensor, "query key"], Bool[Tensor, "query key"]]:
    """Return the two sets of the fixed pattern: own block, and summaries.

    ``own[i, j] = j <= i and j // block == i // block``,
    ``summaries[i, j] = j <= i and j % block >= block - summary``

    The last `summary` positions of a block can be read by everything after
    them. A position before the first of them has no summary to read: its row of
    the second mask is empty.

    The paper prints both sets without j <= i, which its text requires. Here it
    is part of both.

    Args:
        n: number of positions; the last block may be cut.
        block: l, the number of positions in a block.
        summary: c, the number of a block's last positions that later blocks can
            read, from 1 to `block`.

    Source: Child et al. (2019), section 4.3, "fixed". Chapter 07 derives it.

    Example:
        >>> own, summaries = fixed_masks(4, block=2)
        >>> own.int()
        tensor([[1, 0, 0, 0],
                [1, 1, 0, 0],
                [0, 0, 1, 0],
                [0, 0, 1, 1]], dtype=torch.int32)
        >>> summaries.int()
        tensor([[0, 0, 0, 0],
                [0, 1, 0, 0],
                [0, 1, 0, 0],
                [0, 1, 0, 1]], dtype=torch.int32)
    """
    check_integer("n", n, at_least=1)
    check_summary(block, summary)
    check_device("device", device)
    position = torch.arange(n, device=device)
    own = position[:, None] // block == position // block
    summaries = (position % block >= block - summary).expand(n, n)
    return own.tril(), summaries.tril()


def strided_mask_mod(stride: int) -> MaskMod:
    """Return the union of window and column as flex_attention takes it.

    ``allowed = j <= i and (i - j < stride or (i - j) % stride == 0)``

    ``torch.nn.attention.flex_attention`` gets a function of (batch, head,
    query, key), compiles it into a kernel, and skips the tiles of 128 x 128
    positions that it leaves empty. Use it as
    ``create_block_mask(strided_mask_mod(stride), None, None, n, n)``, to
    compare with; nothing of this package calls it.

    Source: Child et al. (2019), section 4.3. Chapter 07 compares with it.
    """
    check_integer("stride", stride, at_least=1)

    def allowed(
        batch: Tensor, head: Tensor, query: Tensor, key: Tensor
    ) -> Tensor:
        back = query - key
        return (back >= 0) & ((back < stride) | (back % stride == 0))

    return allowed


def fixed_mask_mod(block: int, summary: int = 1) -> MaskMod:
    """Return the union of own block and summaries as flex_attention takes it.

    Source: Child et al. (2019), section 4.3. Chapter 07 compares with it.
    """
    check_summary(block, summary)

    def allowed(
        batch: Tensor, head: Tensor, query: Tensor, key: Tensor
    ) -> Tensor:
        own = query // block == key // block
        return (key <= query) & (own | (key % block >= block - summary))

    return allowed


@dataclass(frozen=True, kw_only=True)
class SparsePattern:
    """What each position of a layer reads.

    The kinds: "dense", every position up to oneself; "strided", the last l
    positions and every l-th one back; "fixed", the own block of l positions and
    the last c of every block; "window" and "block", the first set of each
    alone, the controls that have no second set.

    Attributes:
        kind: one of the five.
        width: l: the stride, the number of positions in a block or in a window.
        summary: c, of the fixed pattern, from 1 to `width`.
        merge: how the two sets of a strided or fixed pattern come together:
            "union", every head reads both; "heads", half of the heads read
            each; "layers", layers 0, 2, 4 … read the first set and the others
            the second.

    Source: Child et al. (2019), section 4.3 for the sets, section 5.1
    (equations 6 to 8) for the three ways. Chapter 07 derives it.

    Example:
        >>> pattern = SparsePattern(kind="strided", width=2)
        >>> pattern.mask(4).int()  # the window or the column
        tensor([[[1, 0, 0, 0],
                 [1, 1, 0, 0],
                 [1, 1, 1, 0],
                 [0, 1, 1, 1]]], dtype=torch.int32)
    """

    kind: str
    width: int
    summary: int = 1
    merge: str = "union"

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, KINDS)
        check_summary(self.width, self.summary, "width")
        check_choice("merge", self.merge, WAYS)

    def read_by(self, layer: int) -> str:
        """Return what a layer reads: the kind, or one of its `SETS`."""
        check_integer("layer", layer, at_least=0)
        if self.kind in SETS and self.merge == "layers":
            return SETS[self.kind][layer % 2]
        return self.kind

    def mask(
        self,
        n: int,
        *,
        num_heads: int = 1,
        layer: int = 0,
        device: torch.device | str | None = None,
    ) -> Bool[Tensor, "head n n"]:
        """Return the pattern as a mask, to look at and to test against.

        Args:
            n: number of positions; the mask has n^2 entries for each head.
            num_heads: number of heads; even where they share the sets.
            layer: the layer's number, which counts with ``merge="layers"``
                alone.
            device: where the mask lies.
        """
        check_integer("num_heads", num_heads, at_least=1)
        check_integer("layer", layer, at_least=0)
        sets = self._sets(n, device)  # one or two of [query, key]
        if len(sets) == 2 and self.merge == "heads":
            check_even(num_heads)
            return torch.stack(sets).repeat_interleave(num_heads // 2, dim=0)
        if self.merge == "layers":
            sets = (sets[layer % len(sets)],)
        return reduce(torch.logical_or, sets).expand(num_heads, n, n)

    def _sets(
        self, n: int, device: torch.device | str | None
    ) -> tuple[Tensor, ...]:
        if self.kind == "dense":
            return (causal_mask(n, device=device),)
        if self.kind in ("strided", "window"):
            sets = strided_masks(n, self.width, device=device)
        else:
            sets = fixed_masks(n, self.width, self.summary, device=device)
        return sets if self.kind in SETS else sets[:1]


def check_pattern(pattern: Any, num_heads: int) -> None:
    """Check that it is a `SparsePattern` that so many heads can read."""
    if not isinstance(pattern, SparsePattern):
        raise TypeError(f"pattern: expected a SparsePattern, got {pattern!r}")
    if pattern.kind in SETS and pattern.merge == "heads":
        check_even(num_heads)


def check_even(num_heads: int) -> None:
    """Check that half of the heads can read each of two sets."""
    if num_heads % 2:
        raise ValueError(
            "merge: expected an even number of heads for 'heads', which gives "
            f"half of them to each set, got {num_heads}"
        )


def check_summary(block: int, summary: int, name: str = "block") -> None:
    """Check the sizes of the fixed pattern: 1 <= summary <= block."""
    check_integer(name, block, at_least=1)
    check_integer("summary", summary, at_least=1)
    if summary > block:
        wanted = f"an integer in [1, {name}={block}]"
        raise ValueError(f"summary: expected {wanted}, got {summary}")
