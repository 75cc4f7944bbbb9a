"""A decoder's layer: self-attention, cross-attention, feed-forward network."""

from functools import partial

from jaxtyping import Bool, Float
from torch import Tensor, nn

from bottomup.attention import (
    KeyValueCache,
    LayerCache,
    MemoryCache,
    MultiHeadAttention,
    attention_for,
    cached_attention,
)
from bottomup.blocks.feed_forward import FeedForward
from bottomup.blocks.normalization import EPSILON
from bottomup.blocks.residual import RESIDUALS
from bottomup.checks import check_choice, checked, without_torch_names


class DecoderLayer(nn.Module):
    """An `EncoderLayer` with a sublayer in its middle that reads the source.

    With ``norm="pre"``, where ``N`` is a LayerNorm of each sublayer's own:
    ``x <- x + SelfAttention(N(x))``, ``x <- x + CrossAttention(N(x), memory)``,
    ``x <- x + FFN(N(x))``; with ``norm="post"``:
    ``x <- N(x + SelfAttention(x))``, ``x <- N(x + CrossAttention(x, memory))``,
    ``x <- N(x + FFN(x))``

    In cross-attention the queries come from the stream `x`, keys and values
    from `memory`. The layer does not normalise `memory`: the encoder has done
    that at its end.

    Args:
        d_model: width of the stream and of the memory.
        num_heads: number of heads of both attentions; it divides d_model.
        d_ff: number of neurons of the feed-forward network.
        norm: "pre" or "post": where LayerNorm stands (`PreNorm`, `PostNorm`).
        activation: "relu", "gelu" or "gelu_tanh", as in `FeedForward`.
        dropout: probability in [0, 1), during training, for the three updates,
            and as in ``nn.TransformerDecoderLayer`` also for the attention
            weights and the activations. The paper names the updates alone.
        epsilon: of every LayerNorm.

    With ``d_ff = 4 d_model`` it has ``16 d_model^2`` weights, half of them in
    the feed-forward network, and ``19 d_model`` biases and gains.

    Source: Vaswani et al. (2017), section 3.1 and, for the three uses of
    attention, section 3.2.3; Xiong et al. (2020) for the two places of
    LayerNorm. Chapter 05 derives it.

    Example:
        >>> layer = DecoderLayer(d_model=12, num_heads=3, d_ff=7)
        >>> target, memory = torch.randn(2, 4, 12), torch.randn(2, 5, 12)
        >>> x, _ = layer(target, memory, causal=True)
        >>> x.shape
        torch.Size([2, 4, 12])
    """

    @without_torch_names
    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        *,
        norm: str = "pre",
        activation: str = "relu",
        dropout: int | float = 0.0,
        epsilon: int | float = EPSILON,
    ) -> None:
        super().__init__()
        check_choice("norm", norm, RESIDUALS)
        around = partial(RESIDUALS[norm], dropout=dropout, epsilon=epsilon)
        self.d_model = d_model
        self.attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.cross_attention = MultiHeadAttention(
            d_model, num_heads, dropout=dropout
        )
        self.feed_forward = FeedForward(
            d_model, d_ff, activation=activation, dropout=dropout
        )
        self.around_attention = around(d_model)
        self.around_cross_attention = around(d_model)
        self.around_feed_forward = around(d_model)

    @checked
    def forward(
        self,
        x: Float[Tensor, "batch target d_model"],
        memory: Float[Tensor, "batch source d_model"],
        mask: Bool[Tensor, "..."] | None = None,
        memory_mask: Bool[Tensor, "..."] | None = None,
        *,
        need_weights: bool = False,
        causal: bool = False,
    ) -> tuple[
        Float[Tensor, "batch target d_model"],
        tuple[
            Float[Tensor, "batch head target target"],
            Float[Tensor, "batch head target source"],
        ]
        | None,
    ]:
        """Return ``(x, (self_weights, cross_weights))``, or ``(x, None)``.

        Args:
            x: the stream.
            memory: the encoded source, one vector for each of its positions.
            mask: True = may attend, for self-attention: ``[target, target]``,
                ``[batch, target, target]`` or
                ``[batch, head, target, target]``, each axis as given or 1.
            memory_mask: the same for cross-attention; its last axis is source.
            need_weights: whether to return the weights; without them torch's
                fused kernel is used.
            causal: whether a position may read itself and what is before it, as
                in a model that writes from left to right.
        """
        attend = attention_for(need_weights)
        read = self.around_attention.read(x)
        update, weights = self.attention(
            read, read, read, mask, causal=causal, attend=attend
        )
        x = self.around_attention.write(x, update)
        read = self.around_cross_attention.read(x)
        update, cross_weights = self.cross_attention(
            read, memory, memory, memory_mask, attend=attend
        )
        x = self.around_cross_attention.write(x, update)
        update = self.feed_forward(self.around_feed_forward.read(x))
        x = self.around_feed_forward.write(x, update)
        return x, (weights, cross_weights) if need_weights else None

    def start(
        self, memory: Float[Tensor, "batch source d_model"], *, max_length: int
    ) -> LayerCache:
        """Return what `step` needs at first: room, and the memory's keys.

        Args:
            memory: the encoded source.
            max_length: most positions that will be written.
        """
        own, cross = self.attention, self.cross_attention
        room = KeyValueCache(own, batch=len(memory), max_length=max_length)
        return LayerCache(room, MemoryCache(cross, memory))

    def step(
        self,
        x: Float[Tensor, "batch new d_model"],
        cache: LayerCache,
        memory_mask: Bool[Tensor, "..."] | None = None,
        *,
        need_weights: bool = False,
    ) -> tuple[
        Float[Tensor, "batch new d_model"],
        tuple[
            Float[Tensor, "batch head new target"],
            Float[Tensor, "batch head new source"],
        ]
        | None,
    ]:
        """Return what a causal `forward` gives at the newest positions.

        Their keys and values are appended to the cache. For inference: no
        gradient passes through the attentions.

        Args:
            x: the stream at the new positions, which follow those in the cache.
            cache: from `start`, or as an earlier step left it.
            memory_mask: as in `forward`.
            need_weights: whether to return the weights.
        """
        attend = attention_for(need_weights)
        read = self.around_attention.read(x)
        update, weights = cached_attention(
            self.attention, read, cache.attention, attend=attend
        )
        x = self.around_attention.write(x, update)
        read = self.around_cross_attention.read(x)
        update, cross_weights = cached_attention(
            self.cross_attention,
            read,
            cache.cross_attention,
            memory_mask,
            attend=attend,
        )
        x = self.around_cross_attention.write(x, update)
        update = self.feed_forward(self.around_feed_forward.read(x))
        x = self.around_feed_forward.write(x, update)
        if weights is None or cross_weights is None:
            return x, None
        return x, (weights, cross_weights)
