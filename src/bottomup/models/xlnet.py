"""XLNet: predict the tokens of a sentence in any order, with two streams."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn
from torch.nn.functional import linear

from bottomup.attention import MultiHeadAttention, fused_attention
from bottomup.blocks import FeedForward, LayerNorm, PreNorm
from bottomup.checks import (
    check_config,
    check_divisor,
    check_integer,
    check_token_ids,
    checked,
    is_traced,
)


class TwoStreamMasks(NamedTuple):
    """Who may read whom under an order, in each stream; True = may attend."""

    content: Bool[Tensor, "*batch position position"]
    query: Bool[Tensor, "*batch position position"]


@checked
def two_stream_masks(
    order: Int64[Tensor, "*batch position"], *, given: int = 0
) -> TwoStreamMasks:
    """Let each position read what stands before it in an order.

    ``rank[z_t] = t``; ``content[i, j] = rank[j] <= rank[i]``,
    ``query[i, j] = rank[j] < rank[i]``

    The content stream holds tokens and reads its own; the query stream predicts
    them and must not. Both read keys and values of the content stream. The
    order is that of the predictions alone: positions stay where they are.

    Args:
        order: z, the positions in the order in which they are predicted: a
            permutation of 0 to n - 1.
        given: so many positions at the head of the order are predicted by
            nobody and share the rank 0, so that they read each other whatever
            their order, as in the authors' code. The paper's formula has 0.

    Source: Yang et al. (2019), section 2.3. Chapter 10 derives it.

    Example:
        >>> masks = two_stream_masks(torch.tensor([2, 0, 1]))
        >>> masks.query.int()  # position 2 is first, and reads nothing
        tensor([[0, 0, 1],
                [1, 0, 1],
                [0, 0, 0]], dtype=torch.int32)
    """
    n = order.shape[-1]
    check_integer("given", given, at_least=0)
    if given > n:
        raise ValueError(f"given: expected at most {n}, got {given}")
    places = torch.arange(n, device=order.device)
    if not is_traced() and (order.sort(dim=-1).values != places).any():
        raise ValueError(
            f"order: expected each of 0 to {n - 1} once, got {order.tolist()}"
        )
    rank = order.argsort(dim=-1)
    rank = (rank - max(int(given) - 1, 0)).clamp(min=0)
    of_query, of_key = rank[..., :, None], rank[..., None, :]
    return TwoStreamMasks(of_key <= of_query, of_key < of_query)


@dataclass(frozen=True, kw_only=True)
class XLNetConfig:
    """The choices that define an `XLNet`.

    Attributes:
        vocabulary: number of token types.
        max_length: number of positions it can tell apart.
        d_model: width of both streams.
        num_layers: number of layers.
        num_heads: heads of each layer; it divides d_model.
        d_ff: neurons of each layer's feed-forward network.

    Example:
        >>> XLNetConfig(vocabulary=11, max_length=8).num_layers
        2
    """

    vocabulary: int
    max_length: int
    d_model: int = 32
    num_layers: int = 2
    num_heads: int = 4
    d_ff: int = 128

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            check_integer(name, value, at_least=1)
        check_divisor("num_heads", self.num_heads, "d_model", self.d_model)


class XLNetOutput(NamedTuple):
    """Logits of the tokens that the query stream predicts, and both streams.

    No position's logits or query state depend on its own token.
    """

    logits: Float[Tensor, "batch position vocabulary"]
    content: Float[Tensor, "batch position d_model"]
    query: Float[Tensor, "batch position d_model"]


class TwoStreamLayer(nn.Module):
    """One layer's parameters, used by both streams.

    ``h_i <- h_i + Attention(Q = h_i, KV = h_j with rank_j <= rank_i)``,
    ``g_i <- g_i + Attention(Q = g_i, KV = h_j with rank_j < rank_i)``, each
    then through the feed-forward network

    Keys and values are those of the content stream h before the layer, for both
    streams. A LayerNorm stands before each part (`PreNorm`).

    Source: Yang et al. (2019), section 2.3. Chapter 10 derives it.
    """

    def __init__(self, d_model: int, num_heads: int, d_ff: int) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.around_attention = PreNorm(d_model)
        self.around_feed_forward = PreNorm(d_model)

    def forward(
        self, content: Tensor, query: Tensor, masks: TwoStreamMasks
    ) -> tuple[Tensor, Tensor]:
        """Return both streams after the layer, [batch, position, d_model]."""
        read = self.around_attention.read(content)
        return (
            self._update(content, read, masks.content),
            self._update(query, read, masks.query),
        )

    def _update(self, x: Tensor, read: Tensor, mask: Tensor) -> Tensor:
        asked = self.around_attention.read(x)
        update, _ = self.attention(
            asked, read, read, mask, attend=fused_attention
        )
        x = self.around_attention.write(x, update)
        update = self.feed_forward(self.around_feed_forward.read(x))
        return self.around_feed_forward.write(x, update)


class XLNet(nn.Module):
    """Predict each token from those before it in an order, wherever they stand.

    ``h_i = sqrt(d_model) E[token_i] + P[i]``, ``g_i = w + P[i]``; the layers of
    `TwoStreamLayer`; ``logits_i = E LayerNorm(g_i)``

    The query stream starts with one trained vector w at all positions: it knows
    where it stands, and not what stands there. In the paper positions are
    relative and segments have a memory, as in Transformer-XL; here they are a
    trained table, and there is one segment.

    Source: Yang et al. (2019), sections 2.2 and 2.3. Chapter 10 derives it.

    Example:
        >>> model = XLNet(XLNetConfig(vocabulary=11, max_length=8))
        >>> order = torch.tensor([[2, 0, 1]])  # position 2 first, from nothing
        >>> model(torch.tensor([[5, 6, 7]]), order).logits.shape
        torch.Size([1, 3, 11])
    """

    def __init__(self, config: XLNetConfig) -> None:
        super().__init__()
        check_config(config, XLNetConfig)
        self.config, self.d_model = config, config.d_model
        self.embedding = nn.Embedding(config.vocabulary, config.d_model)
        nn.init.normal_(self.embedding.weight, std=config.d_model**-0.5)
        self.positions = nn.Embedding(config.max_length, config.d_model)
        self.w = nn.Parameter(torch.randn(config.d_model))
        self.layers = nn.ModuleList(
            TwoStreamLayer(config.d_model, config.num_heads, config.d_ff)
            for _ in range(config.num_layers)
        )
        self.final_norm = LayerNorm(config.d_model)

    @checked
    def forward(
        self,
        tokens: Int64[Tensor, "batch position"],
        order: Int64[Tensor, "batch position"],
        *,
        given: int = 0,
    ) -> XLNetOutput:
        """Predict each token under an order.

        Args:
            tokens: token numbers; those that nobody may read change nothing.
            order: a permutation of the positions for each sentence.
            given: see `two_stream_masks`.
        """
        words, n = self.config.vocabulary, tokens.shape[1]
        check_token_ids("tokens", tokens, "batch position", vocabulary=words)
        if n > self.config.max_length:
            raise ValueError(
                f"tokens: expected at most {self.config.max_length} positions, "
                f"got {n}"
            )
        masks = two_stream_masks(order, given=given)
        P = self.positions.weight[:n]  # [position, d_model]
        h = math.sqrt(self.d_model) * self.embedding(tokens) + P
        g = (self.w + P).expand_as(h)  # [batch, position, d_model]
        for layer in self.layers:
            h, g = layer(h, g, masks)
        return XLNetOutput(self.unembed(g), h, g)

    @checked
    def unembed(
        self, states: Float[Tensor, "*leading d_model"]
    ) -> Float[Tensor, "*leading vocabulary"]:
        """Return the logits that a stream's states give."""
        return linear(self.final_norm(states), self.embedding.weight)
