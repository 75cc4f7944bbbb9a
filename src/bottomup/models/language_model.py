"""Language models, causal and masked: embedding, a residual stream through layers, logits."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn
from torch.nn.functional import linear

from bottomup.blocks import (
    POSITIONS,
    RESIDUALS,
    AttentionLayer,
    EncoderLayer,
    LayerNorm,
)
from bottomup.blocks.feed_forward import ACTIVATIONS
from bottomup.checks import (
    check_axes,
    check_choice,
    check_device,
    check_divisor,
    check_integer,
    check_mask,
    check_number,
    check_token_ids,
)
from bottomup.masks import causal_mask


class LanguageModelOutput(NamedTuple):
    """What the model gives: logits, the stream at each station, and the weights of each layer.

    `states` holds the stream after the embedding and after each layer, so one more than there are
    layers. `weights` is None unless they were asked for.
    """

    logits: Float[Tensor, "batch position vocabulary"]
    states: tuple[Float[Tensor, "batch position d_model"], ...]
    weights: tuple[Float[Tensor, "batch head position position"], ...] | None


@dataclass(frozen=True, kw_only=True)
class LanguageModelConfig:
    """The choices that define a `LanguageModel` or a `MaskedLanguageModel`.

    Attributes:
        vocabulary: number of token types.
        max_length: number of positions it can tell apart.
        d_model: width of the stream.
        num_layers: number of layers; with 0 a token's logits depend on itself and its position.
        num_heads: heads of each layer; it divides d_model.
        d_ff: neurons of each layer's feed-forward network.
        norm: "pre" or "post": where LayerNorm stands.
        activation: "relu" or "gelu".
        tied: whether one table serves as embedding and as unembedding.
        dropout: probability in [0, 1) during training, in the layers and after the embedding.
        feed_forward: False leaves the feed-forward networks out, a control; d_ff and activation
            then count for nothing.
        positions: "learned" with a table, or "sinusoidal", which needs an even d_model.
    """

    vocabulary: int
    max_length: int
    d_model: int = 64
    num_layers: int = 2
    num_heads: int = 4
    d_ff: int = 256
    norm: str = "pre"
    activation: str = "relu"
    tied: bool = True
    dropout: int | float = 0.0
    feed_forward: bool = True
    positions: str = "learned"

    def __post_init__(self) -> None:
        for name in (
            "vocabulary",
            "max_length",
            "d_model",
            "num_heads",
            "d_ff",
        ):
            check_integer(name, getattr(self, name), at_least=1)
        check_integer("num_layers", self.num_layers, at_least=0)
        check_divisor("num_heads", self.num_heads, "d_model", self.d_model)
        check_choice("norm", self.norm, RESIDUALS)
        check_choice("activation", self.activation, ACTIVATIONS)
        check_choice("tied", self.tied, (True, False))
        check_choice("feed_forward", self.feed_forward, (True, False))
        check_number("dropout", self.dropout, at_least=0, below=1)
        check_choice("positions", self.positions, POSITIONS)
        if self.positions == "sinusoidal" and self.d_model % 2:
            raise ValueError(
                f"d_model: expected an even width with sinusoidal positions, got {self.d_model}"
            )


class LanguageModel(nn.Module):
    """Predict at each position the token that comes next, from the tokens up to there.

    ``x_0 = sqrt(d_model) E[token] + P[position]`` (tied; without the root if not),
    ``x_l = layer_l(x_{l-1})``, ``logits = U LayerNorm(x_L)``, ``U = E`` if tied

    With ``norm="post"`` the last layer ends in a LayerNorm and no other follows. The unembedding
    has no bias.

    The token vectors that enter the stream start with variance 1, as those of the positions do. A
    table that is tied therefore starts with variance ``1 / d_model``, and its logits with
    variance 1, too.

    Source: Vaswani et al. (2017), section 3.4, for the tied table and its factor, and section 3.5
    for positions; Xiong et al. (2020) for the last LayerNorm. Chapter 04 derives it.
    """

    def __init__(self, config: LanguageModelConfig) -> None:
        super().__init__()
        self.config = config
        d_model = config.d_model
        self.embedding = nn.Embedding(config.vocabulary, d_model)
        if config.tied:
            nn.init.normal_(self.embedding.weight, std=d_model**-0.5)
        self.positions = POSITIONS[config.positions](
            max_length=config.max_length, d_model=d_model
        )
        self.dropout = nn.Dropout(float(config.dropout))
        self.layers = nn.ModuleList(
            _layer(config) for _ in range(config.num_layers)
        )
        self.final_norm = (
            LayerNorm(d_model) if config.norm == "pre" else nn.Identity()
        )
        self.unembedding = None if config.tied else _unembedding(config)

    def embed(
        self, tokens: Int64[Tensor, "batch position"]
    ) -> Float[Tensor, "batch position d_model"]:
        """Return the stream that the first layer reads."""
        config = self.config
        check_token_ids(
            "tokens", tokens, "batch position", vocabulary=config.vocabulary
        )
        if tokens.shape[1] > config.max_length:
            raise ValueError(
                f"tokens: expected at most max_length={config.max_length} positions, "
                f"got {tokens.shape[1]}"
            )
        scale = math.sqrt(config.d_model) if config.tied else 1.0
        return self.dropout(self.positions(scale * self.embedding(tokens)))

    def unembed(
        self, states: Float[Tensor, "*leading d_model"]
    ) -> Float[Tensor, "*leading vocabulary"]:
        """Return the logits that the last layers would read off a stream: the logit lens.

        ``logits = U LayerNorm(states)``, so that ``unembed(states[-1])`` are the model's logits. Of
        earlier states it says what the model would predict if no further layer followed.

        Args:
            states: vectors of the stream, from any station.
        """
        check_axes("states", states, "... d_model", d_model=self.config.d_model)
        U = self.embedding if self.unembedding is None else self.unembedding
        return linear(self.final_norm(states), U.weight)

    def may_attend(
        self,
        tokens: Int64[Tensor, "batch position"],
        mask: Bool[Tensor, "..."] | None,
    ) -> Bool[Tensor, "..."] | None:
        """Join the caller's mask to the model's own: a position reads itself and what is before it."""
        causal = causal_mask(tokens.shape[1], device=tokens.device)
        given = _checked_mask(tokens, mask)
        return causal if given is None else given & causal

    def forward(
        self,
        tokens: Int64[Tensor, "batch position"],
        mask: Bool[Tensor, "..."] | None = None,
        *,
        need_weights: bool = False,
    ) -> LanguageModelOutput:
        """Predict the next token at each position.

        Args:
            tokens: token numbers.
            mask: True = may attend; broadcasts to ``[batch, query, key]``. The causal mask is
                joined to it. Sequences that are padded at their end need none: no real position
                reads the padding behind it.
            need_weights: whether to return the weights; without them torch's fused kernel is used.
        """
        states, weights = [self.embed(tokens)], []
        mask = self.may_attend(tokens, mask)
        for layer in self.layers:
            x, layer_weights = layer(states[-1], mask, need_weights)
            states.append(x)
            weights.append(layer_weights)
        logits = self.unembed(states[-1])
        return LanguageModelOutput(
            logits, tuple(states), tuple(weights) if need_weights else None
        )


class MaskedLanguageModel(LanguageModel):
    """Predict tokens that were hidden or exchanged, from the whole sentence.

    It is `LanguageModel` without the causal mask, so under one seed both start with the same
    parameters. The logits at a position are for the token that stood there before the corruption
    (`bottomup.data.corrupt`), not for the next one.

    Source: Devlin et al. (2019), section 3.1, task 1. Chapter 08 trains it.
    """

    def may_attend(
        self,
        tokens: Int64[Tensor, "batch position"],
        mask: Bool[Tensor, "..."] | None,
    ) -> Bool[Tensor, "..."] | None:
        """Return the caller's mask: without one, every position reads every other.

        Padding stands within reach of the others, so a padded batch needs a mask.
        """
        return _checked_mask(tokens, mask)


def _checked_mask(tokens: Tensor, mask: Tensor | None) -> Tensor | None:
    if mask is None:
        return None
    batch, n = tokens.shape
    check_mask("mask", mask, (batch, n, n))
    check_device("mask", mask, "tokens", tokens)
    return mask


def _layer(config: LanguageModelConfig) -> EncoderLayer | AttentionLayer:
    if not config.feed_forward:
        return AttentionLayer(
            config.d_model,
            config.num_heads,
            norm=config.norm,
            dropout=config.dropout,
        )
    return EncoderLayer(
        config.d_model,
        config.num_heads,
        config.d_ff,
        norm=config.norm,
        activation=config.activation,
        dropout=config.dropout,
    )


def _unembedding(config: LanguageModelConfig) -> nn.Linear:
    """A map whose logits start with about variance 1 where its input has variance 1."""
    unembedding = nn.Linear(config.d_model, config.vocabulary, bias=False)
    nn.init.normal_(unembedding.weight, std=config.d_model**-0.5)
    return unembedding
