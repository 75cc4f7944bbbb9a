"""Language models, causal and masked: embedding, residual stream, logits."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn
from torch.nn.functional import linear

from bottomup.blocks import (
    POSITIONS,
    AttentionLayer,
    EncoderLayer,
    LayerNorm,
)
from bottomup.blocks.normalization import EPSILON
from bottomup.checks import (
    check_choice,
    check_config,
    check_integer,
    check_token_ids,
    checked,
)
from bottomup.models.transformer_config import check_stream


class LanguageModelOutput(NamedTuple):
    """Logits, the stream at each station, and the weights of each layer.

    `states` holds the stream after the embedding and after each layer, so one
    more than there are layers. `weights` is None unless they were asked for.
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
        num_layers: number of layers; with 0 a token's logits depend on itself
            and its position.
        num_heads: heads of each layer; it divides d_model.
        d_ff: neurons of each layer's feed-forward network.
        norm: "pre" or "post": where LayerNorm stands.
        activation: "relu", "gelu" or "gelu_tanh", as in `FeedForward`.
        tied: whether one table serves as embedding and as unembedding.
        dropout: probability in [0, 1) during training, in the layers and after
            the embedding.
        feed_forward: False leaves the feed-forward networks out, a control;
            d_ff and activation then count for nothing.
        positions: "learned" with a table, or "sinusoidal", which needs an even
            d_model.
        epsilon: of every LayerNorm.

    Example:
        >>> LanguageModelConfig(vocabulary=11, max_length=8).num_layers
        2
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
    epsilon: int | float = EPSILON

    def __post_init__(self) -> None:
        check_integer("vocabulary", self.vocabulary, at_least=1)
        check_integer("num_layers", self.num_layers, at_least=0)
        check_stream(self)
        check_choice("tied", self.tied, (True, False))
        check_choice("feed_forward", self.feed_forward, (True, False))


class LanguageModel(nn.Module):
    """Predict each next token from the tokens up to there.

    ``x_0 = sqrt(d_model) E[token] + P[position]`` (tied; without the root if
    not), ``x_l = layer_l(x_{l-1})``, ``logits = U LayerNorm(x_L)``, ``U = E``
    if tied

    With ``norm="post"`` the last layer ends in a LayerNorm and no other
    follows. The unembedding has no bias.

    The token vectors that enter the stream start with variance 1, as those of
    the positions do. A table that is tied therefore starts with variance
    ``1 / d_model``, and its logits with variance 1, too.

    Attributes:
        causal: whether a position reads itself and what is before it only.

    Source: Vaswani et al. (2017), section 3.4, for the tied table and its
    factor, and section 3.5 for positions; Xiong et al. (2020) for the last
    LayerNorm. Chapter 04 derives it.

    Example:
        >>> config = LanguageModelConfig(vocabulary=11, max_length=8, d_model=8)
        >>> output = LanguageModel(config)(torch.tensor([[5, 6, 7]]))
        >>> output.logits.shape, len(output.states)
        (torch.Size([1, 3, 11]), 3)
    """

    causal: ClassVar[bool] = True

    def __init__(self, config: LanguageModelConfig) -> None:
        super().__init__()
        check_config(config, LanguageModelConfig)
        self.config, self.d_model = config, config.d_model
        d_model, words = config.d_model, config.vocabulary
        self.embedding = nn.Embedding(words, d_model)
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
            LayerNorm(d_model, epsilon=config.epsilon)
            if config.norm == "pre"
            else nn.Identity()
        )
        self.unembedding: nn.Linear | None = None
        if not config.tied:
            self.unembedding = nn.Linear(d_model, words, bias=False)
            nn.init.normal_(self.unembedding.weight, std=d_model**-0.5)

    @checked
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
            mask: True = may attend; broadcasts to ``[batch, query, key]``.
                Sequences that are padded at their end need none: no real
                position reads the padding behind it.
            need_weights: whether to return the weights; without them torch's
                fused kernel is used.
        """
        x, weights = self.embed(tokens), []
        states = [x]
        for layer in self.layers:  # x: [batch, position, d_model]
            x, layer_weights = layer(
                x, mask, need_weights=need_weights, causal=self.causal
            )
            states.append(x)
            weights.append(layer_weights)
        logits = self.unembed(x)  # [batch, position, vocabulary]
        return LanguageModelOutput(
            logits, tuple(states), tuple(weights) if need_weights else None
        )

    def embed(
        self, tokens: Int64[Tensor, "batch position"]
    ) -> Float[Tensor, "batch position d_model"]:
        """Return the stream that the first layer reads."""
        words, tied = self.config.vocabulary, self.config.tied
        check_token_ids("tokens", tokens, "batch position", vocabulary=words)
        scale = math.sqrt(self.d_model) if tied else 1.0
        return self.dropout(self.positions(scale * self.embedding(tokens)))

    @checked
    def unembed(
        self, states: Float[Tensor, "*leading d_model"]
    ) -> Float[Tensor, "*leading vocabulary"]:
        """Return the logits that a stream would give: the logit lens.

        ``logits = U LayerNorm(states)``, so that ``unembed(states[-1])`` are
        the model's logits. Of earlier states it says what the model would
        predict if no further layer followed.

        Args:
            states: vectors of the stream, from any station.
        """
        U = self.unembedding or self.embedding
        return linear(self.final_norm(states), U.weight)


class MaskedLanguageModel(LanguageModel):
    """Predict tokens that were hidden or exchanged, from the whole sentence.

    It is `LanguageModel` without causality, so under one seed both start with
    the same parameters. The logits at a position are for the token that stood
    there before the corruption (`bottomup.data.corrupt`), not for the next one.
    Padding stands within reach of the others, so a padded batch needs a mask.

    Source: Devlin et al. (2019), section 3.1, task 1. Chapter 08 trains it.

    Example:
        >>> config = LanguageModelConfig(vocabulary=11, max_length=8, d_model=8)
        >>> MaskedLanguageModel(config)(torch.tensor([[5, 6, 7]])).logits.shape
        torch.Size([1, 3, 11])
    """

    causal = False


def _layer(config: LanguageModelConfig) -> EncoderLayer | AttentionLayer:
    sizes = config.d_model, config.num_heads
    norm, dropout, epsilon = config.norm, config.dropout, config.epsilon
    if not config.feed_forward:
        return AttentionLayer(
            *sizes, norm=norm, dropout=dropout, epsilon=epsilon
        )
    return EncoderLayer(
        *sizes,
        config.d_ff,
        norm=norm,
        activation=config.activation,
        dropout=dropout,
        epsilon=epsilon,
    )
