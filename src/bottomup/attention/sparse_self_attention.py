"""Self-attention with a sparse pattern, with the maps that make queries, keys and values."""

import math

from jaxtyping import Float
from torch import Tensor, nn

from bottomup.attention.multi_head import merge_heads, split_heads
from bottomup.attention.scaled_dot_product import scaled_dot_scores
from bottomup.attention.sparse_pattern import SparsePattern
from bottomup.checks import (
    check_axes,
    check_divisor,
    check_integer,
    check_same_kind,
)
from bottomup.masks import masked_softmax

SCALE = 0.125  # standard deviation of a map's weights, times the root of the inputs it has


class SparseSelfAttention(nn.Module):
    """Self-attention in which each position reads what a pattern says.

    ``output = [head_1 ... head_H] W_P^T + b_P``, ``head_h[i] = sum over j in S_i of
    softmax_j(q_i · k_j / sqrt(d_head)) v_j``, with ``q = x W_Q^T + b_Q`` and so on

    Args:
        d_model: width of a position, in and out.
        num_heads: number of heads; it divides d_model.
        pattern: which positions S_i holds for each i.
        layer: number of the layer, from 0; it counts where a pattern's sets alternate by layer.

    The weights start normal with standard deviation ``0.125 / sqrt(d_model)``, the biases as zeros.

    Source: Child et al. (2019), equations 2 to 8, and section 6 for the start. Chapter 07 derives
    it.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        pattern: SparsePattern,
        layer: int = 0,
    ) -> None:
        super().__init__()
        check_integer("d_model", d_model, at_least=1)
        check_integer("num_heads", num_heads, at_least=1)
        check_integer("layer", layer, at_least=0)
        check_divisor("num_heads", num_heads, "d_model", d_model)
        if not isinstance(pattern, SparsePattern):
            raise TypeError(
                f"pattern: expected a SparsePattern, got {pattern!r}"
            )
        pattern.mask(
            1, num_heads=num_heads
        )  # raises where the heads cannot be halved
        self.num_heads, self.pattern, self.layer = num_heads, pattern, layer
        self.W_QKV = nn.Linear(d_model, 3 * d_model)
        self.W_P = nn.Linear(d_model, d_model)
        for linear_map in (self.W_QKV, self.W_P):
            nn.init.normal_(linear_map.weight, std=SCALE / math.sqrt(d_model))
            nn.init.zeros_(linear_map.bias)

    def forward(
        self, x: Float[Tensor, "batch n d_model"]
    ) -> Float[Tensor, "batch n d_model"]:
        """Return what the positions read, mixed over the heads."""
        query, key, value = self._heads(x)
        read = self.pattern.attend(query, key, value, layer=self.layer)
        return self.W_P(merge_heads(read))

    def weights(
        self, x: Float[Tensor, "batch n d_model"]
    ) -> Float[Tensor, "batch head n n"]:
        """Return the weights of every head, by a dense product under the pattern's mask.

        This is to look at a layer: it costs n^2, which `forward` avoids.
        """
        query, key, _ = self._heads(x)
        mask = self.pattern.mask(
            x.shape[1],
            num_heads=self.num_heads,
            layer=self.layer,
            device=x.device,
        )
        return masked_softmax(scaled_dot_scores(query, key), mask)

    def _heads(self, x: Tensor) -> list[Tensor]:
        check_axes("x", x, "batch n d_model", d_model=self.W_P.in_features)
        check_same_kind("x", x, "W_QKV", self.W_QKV.weight)
        return [
            split_heads(part, self.num_heads)
            for part in self.W_QKV(x).chunk(3, dim=-1)
        ]
