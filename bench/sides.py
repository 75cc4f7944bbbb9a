"""Multi-head attention by this package and by two peers, set up to compute the same numbers.

No map has a bias, since x-transformers has none; dropout, rotary positions and gates are off. Each
peer is told of the mask in the way that its documentation names for speed.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from bottomup.attention import MultiHeadAttention, attention_for, to_torch
from bottomup.masks import padding_mask
from bottomup.results.speed import TORCH

MASKS = ("causal", "padded")
X_TRANSFORMERS = "x-transformers"

Attend = Callable[[Tensor], tuple[Tensor, Tensor | None]]
Side = tuple[nn.Module, Attend]


def lengths(batch: int, n: int) -> Tensor:
    """Return the real length of each sequence: from half of n, in equal steps, to all of it."""
    return torch.linspace(max(n // 2, 1), n, batch).long()


def ours(
    d_model: int, heads: int, n: int, batch: int, mask: str, need_weights: bool
) -> tuple[MultiHeadAttention, Attend]:
    """Return this package's module, which is told of a causal mask by a flag."""
    module = MultiHeadAttention(d_model, heads, bias=False)
    allowed = None if mask == "causal" else padding_mask(lengths(batch, n), n)
    options = {"causal": mask == "causal", "attend": attention_for(need_weights)}
    return module, lambda x: module(x, x, x, allowed, **options)


def of_torch(like: MultiHeadAttention, n: int, batch: int, mask: str, need_weights: bool) -> Side:
    """Return ``nn.MultiheadAttention``, which returns each head's weights, not their mean.

    A causal mask comes with ``is_causal=True``, which lets torch's kernel skip half of the work.
    """
    module = to_torch(like)
    options: dict[str, Any] = {"need_weights": need_weights, "average_attn_weights": False}
    if mask == "causal":
        blocked = nn.Transformer.generate_square_subsequent_mask(n)
        options |= {"attn_mask": blocked, "is_causal": not need_weights}
    else:
        keep = padding_mask(lengths(batch, n), n)[:, 0]  # [batch, key]
        options |= {"key_padding_mask": ~keep}
    return module, lambda x: module(x, x, x, **options)


def of_x_transformers(
    like: MultiHeadAttention, n: int, batch: int, mask: str, need_weights: bool
) -> Side:
    """Return x-transformers' Attention: torch's fused kernel (`flash`), or weights returned.

    The padding goes in as `context_mask`: `mask` would also set the outputs of padded positions to
    zero, which the others do not do.
    """
    from x_transformers.x_transformers import Attention  # only `make bench` installs it

    module = Attention(
        like.d_model,
        dim_head=like.d_head,
        heads=like.num_heads,
        causal=mask == "causal",
        flash=not need_weights,
    )
    copies = {"to_q": like.W_Q, "to_k": like.W_K, "to_v": like.W_V, "to_out": like.W_O}
    with torch.no_grad():
        for name, linear in copies.items():
            getattr(module, name).weight.copy_(linear.weight)
    keep = None if mask == "causal" else padding_mask(lengths(batch, n), n)[:, 0]

    def attend(x: Tensor) -> tuple[Tensor, Tensor | None]:
        if not need_weights:
            return module(x, context_mask=keep), None
        output, kept = module(x, context_mask=keep, return_intermediates=True)
        return output, kept.post_softmax_attn

    return module, attend


PEERS = {TORCH: of_torch, X_TRANSFORMERS: of_x_transformers}
