"""Chapter 11: attention with one step changed."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from bottomup.attention import MultiHeadAttention, merge_heads, split_heads
from bottomup.masks import causal_mask, masked_softmax


class SteppedAttention(MultiHeadAttention):
    """`MultiHeadAttention` with each step as a method of its own, so that one can be changed."""

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
        *,
        causal: bool = False,
        **_options: Any,
    ) -> tuple[Tensor, Tensor]:
        """Return ``(output, weights)``; the weights are always computed."""
        Q, K, V = (
            self.split(linear(x))
            for linear, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        )
        scores = self.scale * Q @ K.mT  # [batch, head, query, key]
        allowed = torch.ones_like(scores, dtype=torch.bool)
        if mask is not None:
            allowed = allowed & mask[:, None]
        if causal and self.looks_back_only:
            allowed = allowed & causal_mask(scores.shape[-1], device=scores.device)
        weights = self.weigh(scores, allowed)
        read = F.dropout(weights, self.dropout, self.training) @ V
        return self.W_O(self.merge(read)), weights

    looks_back_only = True

    @property
    def scale(self) -> float:
        """The factor of the scores."""
        return float(self.d_head**-0.5)

    def split(self, x: Tensor) -> Tensor:
        """Give each head its slice."""
        return split_heads(x, self.num_heads)

    def merge(self, x: Tensor) -> Tensor:
        """Put the heads beside each other."""
        return merge_heads(x)

    def weigh(self, scores: Tensor, allowed: Tensor) -> Tensor:
        """Turn scores into weights."""
        return masked_softmax(scores, allowed)


class NoCausalMask(SteppedAttention):
    """Each target position reads what it should say next."""

    looks_back_only = False


class MaskAfterSoftmax(SteppedAttention):
    """What is masked still stands in the softmax's sum."""

    def weigh(self, scores: Tensor, allowed: Tensor) -> Tensor:
        """Take the softmax over all keys, then set the forbidden weights to zero."""
        return scores.softmax(dim=-1) * allowed


class NoRoot(SteppedAttention):
    """Scores are not divided by the root of the width of a head."""

    @property
    def scale(self) -> float:
        """Leave the scores as they are."""
        return 1.0


class HeadsReshaped(SteppedAttention):
    """Heads are made by a reshape alone, which mixes positions where it should cut the width."""

    def split(self, x: Tensor) -> Tensor:
        """Read the numbers of all positions in a row, and cut the row into heads."""
        batch, n, width = x.shape
        return x.reshape(batch, self.num_heads, n, width // self.num_heads)

    def merge(self, x: Tensor) -> Tensor:
        """Undo `split`."""
        return x.reshape(len(x), x.shape[2], -1)


def with_attention(network: nn.Module, kind: type[SteppedAttention]) -> None:
    """Exchange every attention of a network for one of another kind with the same parameters."""
    for parent in list(network.modules()):
        for name, child in parent.named_children():
            if isinstance(child, MultiHeadAttention):
                changed = kind(child.d_model, child.num_heads, dropout=child.dropout)
                changed.load_state_dict(child.state_dict())
                setattr(parent, name, changed)
