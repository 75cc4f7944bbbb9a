"""Chapter 07: which summaries each head of fixed attention reads, and a layer that reads so."""

import torch
from jaxtyping import Bool
from torch import Tensor, nn

from bottomup.attention import SparseSelfAttention, fused_attention
from bottomup.attention.multi_head import merge_heads, split_heads

SHARINGS = ("same", "distinct", "wide")


def summary_places(sharing: str, block: int, summary: int, num_heads: int) -> list[range]:
    """Return the places within a block that each head reads of every earlier block.

    - ``same``: the last c places, for every head: the paper's formula;
    - ``distinct``: head h reads ``l - (h + 1) c`` to ``l - h c - 1``: c places of its own;
    - ``wide``: the last ``c H`` places, for every head: what the distinct ones read together.

    Args:
        sharing: one of the three.
        block: l.
        summary: c.
        num_heads: H; c H places must fit into a block.

    Source: Child et al. (2019), section 4.3, its last paragraph, for the first two.
    """
    if summary * num_heads > block:
        raise ValueError(
            f"summary: expected at most block / num_heads = {block} / {num_heads}, got {summary}"
        )
    last = [range(block - summary, block)] * num_heads
    return {
        "same": last,
        "distinct": [
            range(block - (head + 1) * summary, block - head * summary) for head in range(num_heads)
        ],
        "wide": [range(block - summary * num_heads, block)] * num_heads,
    }[sharing]


def head_masks(n: int, block: int, places: list[range]) -> Bool[Tensor, "head query key"]:
    """Return what the heads read: the own block, and their places of every earlier block.

    ``mask[h, i, j] = j <= i and (j // block == i // block or j % block in places[h])``
    """
    position = torch.arange(n)
    own = position[:, None] // block == position // block
    summaries = torch.stack(
        [torch.isin(position % block, torch.tensor(list(each))) for each in places]
    )  # [head, key]
    return (own | summaries[:, None]).tril()


class MaskedHeads(nn.Module):
    """Self-attention whose heads have a mask each; the maps are those of another layer.

    ``head_h[i] = sum_j softmax_j(q_i · k_j / sqrt(d_head)) v_j`` over j with mask[h, i, j]

    All n^2 scores of a head are computed, so that every mask costs the same time.

    Args:
        maps: whose W_QKV and W_P it takes.
        mask: [head, query, key]; every query may read something.
    """

    def __init__(self, maps: SparseSelfAttention, mask: Bool[Tensor, "head query key"]) -> None:
        super().__init__()
        self.W_QKV, self.W_P = maps.W_QKV, maps.W_P
        self.register_buffer("mask", mask)

    def forward(self, x: Tensor) -> Tensor:
        """Return what the positions read, mixed over the heads: [batch, n, d_model]."""
        mask = self.get_buffer("mask")
        parts = self.W_QKV(x).chunk(3, dim=-1)  # [batch, n, d_model] each
        query, key, value = (split_heads(part, len(mask)) for part in parts)
        read, _ = fused_attention(query, key, value, mask)  # [batch, head, n, d_head]
        return self.W_P(merge_heads(read))
