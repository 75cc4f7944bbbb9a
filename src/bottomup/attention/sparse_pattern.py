"""A pattern of attention as one value: which positions are read, how, and as a mask."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from bottomup.attention.sparse import fixed_attention, strided_attention
from bottomup.attention.sparse_checks import check_positions
from bottomup.attention.sparse_sets import (
    block_attention,
    column_attention,
    summary_attention,
    window_attention,
)
from bottomup.checks import check_choice, check_integer
from bottomup.masks import causal_mask, fixed_masks, strided_masks

KINDS = ("dense", "strided", "fixed", "window", "block")
WAYS = ("union", "heads", "layers")


@dataclass(frozen=True, kw_only=True)
class SparsePattern:
    """What each position of a layer reads.

    The kinds: "dense", every position up to oneself; "strided", the last l positions and every l-th
    one back; "fixed", the own block of l positions and the last c of every block; "window" and
    "block", the first set of each alone, the controls that have no second set.

    Attributes:
        kind: one of the five.
        width: l: the stride, the number of positions in a block or in a window.
        summary: c, of the fixed pattern.
        merge: how the two sets of a strided or fixed pattern come together: "union", every head
            reads both; "heads", half of the heads read each; "layers", layers 0, 2, 4 … read the
            first set and the others the second.

    Source: Child et al. (2019), section 4.3 for the sets, section 5.1 (equations 6 to 8) for the
    three ways. Chapter 07 derives it.
    """

    kind: str
    width: int
    summary: int = 1
    merge: str = "union"

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, KINDS)
        check_integer("width", self.width, at_least=1)
        check_integer("summary", self.summary, at_least=1)
        if self.summary > self.width:
            raise ValueError(
                f"summary: expected an integer in [1, width={self.width}], got {self.summary}"
            )
        check_choice("merge", self.merge, WAYS)

    def attend(
        self,
        query: Float[Tensor, "batch head n d_key"],
        key: Float[Tensor, "batch head n d_key"],
        value: Float[Tensor, "batch head n d_value"],
        *,
        layer: int = 0,
    ) -> Float[Tensor, "batch head n d_value"]:
        """Return what the positions read; no matrix [query, key] exists unless the kind is "dense".

        Args:
            query, key, value: as in `strided_attention`.
            layer: the layer's number, which counts with ``merge="layers"`` alone.

        Returns:
            The output; zeros where a fixed pattern's second set, alone in a head or a layer, has no
            summary yet.
        """
        check_integer("layer", layer, at_least=0)
        size, vectors = self.width, (query, key, value)
        if self.kind == "dense":
            return _dense(*vectors)
        if self.kind == "window":
            return window_attention(*vectors, width=size)
        if self.kind == "block":
            return block_attention(*vectors, block=size)
        if self.merge == "layers":
            return self._one_set(*vectors, second=layer % 2 == 1)
        if self.kind == "strided":
            return strided_attention(*vectors, stride=size, merge=self.merge)
        return fixed_attention(
            *vectors, block=size, summary=self.summary, merge=self.merge
        )

    def _one_set(
        self, query: Tensor, key: Tensor, value: Tensor, *, second: bool
    ) -> Tensor:
        size, vectors = self.width, (query, key, value)
        if self.kind == "strided":
            if second:
                return column_attention(*vectors, stride=size)
            return window_attention(*vectors, width=size)
        if second:
            return summary_attention(*vectors, block=size, summary=self.summary)
        return block_attention(*vectors, block=size)

    def mask(
        self,
        n: int,
        *,
        num_heads: int = 1,
        layer: int = 0,
        device: torch.device | str | None = None,
    ) -> Bool[Tensor, "head n n"]:
        """Return the same pattern as a mask, to look at and to test against; it has n^2 entries.

        Args:
            n: number of positions.
            num_heads: number of heads; even where they share the sets between them.
            layer: the layer's number, which counts with ``merge="layers"`` alone.
            device: where the mask lies.
        """
        check_integer("num_heads", num_heads, at_least=1)
        check_integer("layer", layer, at_least=0)
        first, second = self._sets(n, device)
        if second is None:
            return first.expand(num_heads, n, n)
        if self.merge == "layers":
            return (second if layer % 2 else first).expand(num_heads, n, n)
        if self.merge == "union":
            return (first | second).expand(num_heads, n, n)
        if num_heads % 2:
            raise ValueError(
                "num_heads: expected an even number with merge='heads', which gives half of them "
                f"to each set, got {num_heads}"
            )
        half = num_heads // 2
        return torch.cat([first.expand(half, n, n), second.expand(half, n, n)])

    def _sets(
        self, n: int, device: torch.device | str | None
    ) -> tuple[Tensor, Tensor | None]:
        if self.kind == "dense":
            return causal_mask(n, device=device), None
        if self.kind in ("strided", "window"):
            window, column = strided_masks(n, self.width, device=device)
            return window, column if self.kind == "strided" else None
        own, summaries = fixed_masks(n, self.width, self.summary, device=device)
        return own, summaries if self.kind == "fixed" else None


def _dense(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    check_positions(query, key, value, None)
    return scaled_dot_product_attention(query, key, value, is_causal=True)
