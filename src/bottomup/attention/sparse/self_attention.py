"""Self-attention with a sparse pattern, and the maps around it."""

import math

from jaxtyping import Float
from torch import Tensor, nn

from bottomup.attention.multi_head import merge_heads, split_heads
from bottomup.attention.scaled_dot_product import scaled_dot_scores
from bottomup.attention.sparse.attention import sparse_attention
from bottomup.attention.sparse.patterns import SparsePattern, check_pattern
from bottomup.checks import check_divisor, check_integer, checked
from bottomup.masks import masked_softmax
from bottomup.precision import widened

SCALE = 0.125  # standard deviation of a map's weights, times sqrt(its inputs)


class SparseSelfAttention(nn.Module):
    """Self-attention in which each position reads what a pattern says.

    ``output = [head_1 ... head_H] W_P^T + b_P``,
    ``head_h[i] = sum_j softmax_j(q_i · k_j / sqrt(d_head)) v_j`` over j in S_i,
    with ``q = x W_Q^T + b_Q`` and so on

    Args:
        d_model: width of a position, in and out.
        num_heads: number of heads; it divides d_model.
        pattern: which positions S_i holds for each i.
        layer: number of the layer, from 0; it counts where a pattern's sets
            alternate by layer.

    The weights start normal with standard deviation ``0.125 / sqrt(d_model)``,
    the biases as zeros.

    Source: Child et al. (2019), equations 2 to 8, and section 6 for the start.
    Chapter 07 derives it.
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
        check_pattern(pattern, num_heads)
        self.d_model, self.num_heads = d_model, num_heads
        self.pattern, self.layer = pattern, layer
        self.W_QKV = nn.Linear(d_model, 3 * d_model)
        self.W_P = nn.Linear(d_model, d_model)
        for linear in (self.W_QKV, self.W_P):
            start_normal(linear)

    @checked
    def forward(
        self, x: Float[Tensor, "batch n d_model"]
    ) -> Float[Tensor, "batch n d_model"]:
        """Return what the positions read, mixed over the heads."""
        query, key, value = self._heads(x)  # [batch, head, n, d_head]
        read = sparse_attention(
            query, key, value, pattern=self.pattern, layer=self.layer
        )
        return self.W_P(merge_heads(read))  # [batch, n, d_model]

    @checked
    def weights(
        self, x: Float[Tensor, "batch n d_model"]
    ) -> Float[Tensor, "batch head n n"]:
        """Return the weights of every head, under the pattern's mask.

        This is to look at a layer: a dense product costs n^2, which `forward`
        avoids.
        """
        query, key, _ = self._heads(x)  # [batch, head, n, d_head]
        mask = self.pattern.mask(
            x.shape[1],
            num_heads=self.num_heads,
            layer=self.layer,
            device=x.device,
        )  # [head, n, n]
        scores = scaled_dot_scores(widened(query), widened(key))
        return masked_softmax(scores, mask[None]).to(x.dtype)

    def _heads(self, x: Tensor) -> list[Tensor]:
        parts = self.W_QKV(x).chunk(3, dim=-1)  # [batch, n, d_model] each
        return [split_heads(part, self.num_heads) for part in parts]


def start_normal(linear: nn.Linear, shrink: float = 1.0) -> None:
    """Draw a map's weights as the paper does, and set its bias to zero."""
    std = SCALE / math.sqrt(linear.in_features)
    nn.init.normal_(linear.weight, std=std * shrink)
    nn.init.zeros_(linear.bias)
