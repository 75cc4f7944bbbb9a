"""A Transformer's layer: attention, then the feed-forward network, each around the stream."""

from jaxtyping import Bool, Float
from torch import Tensor, nn

from bottomup.attention import MultiHeadAttention, attention_for
from bottomup.blocks.feed_forward import FeedForward
from bottomup.blocks.residual import RESIDUALS
from bottomup.checks import check_choice, checked


class EncoderLayer(nn.Module):
    """Attention lets the positions exchange, the feed-forward network works on each alone.

    With ``norm="pre"``: ``x <- x + Attention(LayerNorm(x))``, ``x <- x + FFN(LayerNorm(x))``;
    with ``norm="post"``: ``x <- LayerNorm(x + Attention(x))``, ``x <- LayerNorm(x + FFN(x))``

    Given a causal mask it is the layer of a decoder-only model.

    Args:
        d_model: width of the stream.
        num_heads: number of heads; it divides d_model.
        d_ff: number of neurons of the feed-forward network.
        norm: "pre" or "post": where LayerNorm stands (`PreNorm`, `PostNorm`).
        activation: "relu" or "gelu".
        dropout: probability in [0, 1), during training, for both updates, and as in
            ``nn.TransformerEncoderLayer`` also for the attention weights and the activations. The
            paper names the updates alone.

    With ``d_ff = 4 d_model`` it has ``12 d_model^2`` weights, 8 of the 12 in the feed-forward
    network, and ``13 d_model`` biases and gains.

    Source: Vaswani et al. (2017), section 3.1; Xiong et al. (2020) for the two places of LayerNorm.
    Chapter 04 derives it.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        *,
        norm: str = "pre",
        activation: str = "relu",
        dropout: int | float = 0.0,
    ) -> None:
        super().__init__()
        check_choice("norm", norm, RESIDUALS)
        self.attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.feed_forward = FeedForward(
            d_model, d_ff, activation=activation, dropout=dropout
        )
        self.around_attention = RESIDUALS[norm](d_model, dropout=dropout)
        self.around_feed_forward = RESIDUALS[norm](d_model, dropout=dropout)

    @checked
    def forward(
        self,
        x: Float[Tensor, "batch position d_model"],
        mask: Bool[Tensor, "..."] | None = None,
        need_weights: bool = False,
        *,
        causal: bool = False,
    ) -> tuple[
        Float[Tensor, "batch position d_model"],
        Float[Tensor, "batch head position position"] | None,
    ]:
        """Return ``(x, weights)``: the stream after the layer, and each head's weights or None.

        Args:
            x: the stream.
            mask: True = may attend: ``[query, key]``, ``[batch, query, key]`` or
                ``[batch, head, query, key]``, each axis as given or 1.
            need_weights: whether to return the weights; without them torch's fused kernel is used.
        """
        read = self.around_attention.read(x)
        attend = attention_for(need_weights)
        update, weights = self.attention(
            read, read, read, mask, causal=causal, attend=attend
        )
        x = self.around_attention.write(x, update)
        read = self.around_feed_forward.read(x)
        x = self.around_feed_forward.write(x, self.feed_forward(read))
        return x, weights


class AttentionLayer(nn.Module):
    """An `EncoderLayer` without its feed-forward network: the control that says what that adds.

    Arguments and masks are those of `EncoderLayer`. Chapter 04 trains a stack of them.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        norm: str = "pre",
        dropout: int | float = 0.0,
    ) -> None:
        super().__init__()
        check_choice("norm", norm, RESIDUALS)
        self.attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.around_attention = RESIDUALS[norm](d_model, dropout=dropout)

    @checked
    def forward(
        self,
        x: Float[Tensor, "batch position d_model"],
        mask: Bool[Tensor, "..."] | None = None,
        need_weights: bool = False,
        *,
        causal: bool = False,
    ) -> tuple[
        Float[Tensor, "batch position d_model"],
        Float[Tensor, "batch head position position"] | None,
    ]:
        """Return ``(x, weights)``, as `EncoderLayer` does."""
        read = self.around_attention.read(x)
        attend = attention_for(need_weights)
        update, weights = self.attention(
            read, read, read, mask, causal=causal, attend=attend
        )
        return self.around_attention.write(x, update), weights
