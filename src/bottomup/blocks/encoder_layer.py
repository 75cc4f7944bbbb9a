"""A Transformer's layer: attention, then the feed-forward network."""

from functools import partial

from jaxtyping import Bool, Float
from torch import Tensor, nn

from bottomup.attention import MultiHeadAttention, attention_for
from bottomup.blocks.feed_forward import FeedForward
from bottomup.blocks.normalization import EPSILON
from bottomup.blocks.residual import RESIDUALS
from bottomup.checks import check_choice, checked, without_torch_names


class EncoderLayer(nn.Module):
    """Attention moves information between positions, the network works on each.

    With ``norm="pre"``, where ``N`` is a LayerNorm of each sublayer's own:
    ``x <- x + Attention(N(x))``, ``x <- x + FFN(N(x))``; with ``norm="post"``:
    ``x <- N(x + Attention(x))``, ``x <- N(x + FFN(x))``

    With ``causal=True`` it is the layer of a decoder-only model.

    Args:
        d_model: width of the stream.
        num_heads: number of heads; it divides d_model.
        d_ff: number of neurons of the feed-forward network.
        norm: "pre" or "post": where LayerNorm stands (`PreNorm`, `PostNorm`).
        activation: "relu", "gelu" or "gelu_tanh", as in `FeedForward`.
        dropout: probability in [0, 1), during training, for both updates, and
            as in ``nn.TransformerEncoderLayer`` also for the attention weights
            and the activations. The paper names the updates alone.
        epsilon: of every LayerNorm.

    With ``d_ff = 4 d_model`` it has ``12 d_model^2`` weights, 8 of the 12 in
    the feed-forward network, and ``13 d_model`` biases and gains.

    Source: Vaswani et al. (2017), section 3.1; Xiong et al. (2020) for the two
    places of LayerNorm. Chapter 04 derives it.

    Example:
        >>> layer = EncoderLayer(d_model=12, num_heads=3, d_ff=7)
        >>> x, weights = layer(torch.randn(2, 5, 12), need_weights=True)
        >>> x.shape, weights.shape
        (torch.Size([2, 5, 12]), torch.Size([2, 3, 5, 5]))
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
        self.feed_forward = FeedForward(
            d_model, d_ff, activation=activation, dropout=dropout
        )
        self.around_attention = around(d_model)
        self.around_feed_forward = around(d_model)

    @checked
    def forward(
        self,
        x: Float[Tensor, "batch position d_model"],
        mask: Bool[Tensor, "..."] | None = None,
        *,
        need_weights: bool = False,
        causal: bool = False,
    ) -> tuple[
        Float[Tensor, "batch position d_model"],
        Float[Tensor, "batch head position position"] | None,
    ]:
        """Return ``(x, weights)``: the stream, and the weights of each head.

        Args:
            x: the stream.
            mask: True = may attend: ``[query, key]``, ``[batch, query, key]``
                or ``[batch, head, query, key]``, each axis as given or 1.
            need_weights: whether to return the weights; without them torch's
                fused kernel is used, and None stands in their place.
            causal: whether a position may read itself and what is before it.
        """
        attend = attention_for(need_weights)
        read = self.around_attention.read(x)
        update, weights = self.attention(
            read, read, read, mask, causal=causal, attend=attend
        )
        x = self.around_attention.write(x, update)
        update = self.feed_forward(self.around_feed_forward.read(x))
        x = self.around_feed_forward.write(x, update)
        return x, weights


class AttentionLayer(nn.Module):
    """An `EncoderLayer` without its feed-forward network: what does that add?

    ``x <- x + Attention(N(x))``, or with ``norm="post"``
    ``x <- N(x + Attention(x))``. Arguments and masks are those of
    `EncoderLayer`. Chapter 04 trains a stack of them.
    """

    # Neither class is a kind of the other: that would change the order of the
    # parameters, and a sum over them, such as a norm, would round differently.

    @without_torch_names
    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        norm: str = "pre",
        dropout: int | float = 0.0,
        epsilon: int | float = EPSILON,
    ) -> None:
        super().__init__()
        check_choice("norm", norm, RESIDUALS)
        self.d_model = d_model
        self.attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.around_attention = RESIDUALS[norm](
            d_model, dropout=dropout, epsilon=epsilon
        )

    @checked
    def forward(
        self,
        x: Float[Tensor, "batch position d_model"],
        mask: Bool[Tensor, "..."] | None = None,
        *,
        need_weights: bool = False,
        causal: bool = False,
    ) -> tuple[
        Float[Tensor, "batch position d_model"],
        Float[Tensor, "batch head position position"] | None,
    ]:
        """Return ``(x, weights)``, as `EncoderLayer` does."""
        attend = attention_for(need_weights)
        read = self.around_attention.read(x)
        update, weights = self.attention(
            read, read, read, mask, causal=causal, attend=attend
        )
        return self.around_attention.write(x, update), weights
