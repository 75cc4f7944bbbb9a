"""The Transformer: an encoder reads the source, a decoder writes the target token by token."""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn
from torch.nn.functional import linear

from bottomup.attention import LayerCache
from bottomup.blocks import POSITIONS, DecoderLayer, EncoderLayer, LayerNorm
from bottomup.data import Batch
from bottomup.masks import causal_mask
from bottomup.models.transformer_checks import (
    check_same_batch,
    check_step,
    check_tokens,
)
from bottomup.models.transformer_config import TransformerConfig


class TransformerWeights(NamedTuple):
    """Every attention's weights, one tensor for each layer."""

    encoder: tuple[Float[Tensor, "batch head source source"], ...]
    decoder: tuple[Float[Tensor, "batch head target target"], ...]
    cross: tuple[Float[Tensor, "batch head target source"], ...]


class TransformerOutput(NamedTuple):
    """Logits [batch, target, vocabulary], and the weights, or None if not asked for."""

    logits: Float[Tensor, "batch target vocabulary"]
    weights: TransformerWeights | None


@dataclass(frozen=True, eq=False)
class TransformerState:
    """What decoding remembers between two tokens.

    A step writes into the caches and returns a new state around them, so that only the newest state
    can be continued.

    Attributes:
        caches: keys and values, for each decoder layer.
        source_mask: True at the real source tokens.
        padded: whether there are others; without them no attention needs the mask.
        length: number of target tokens read so far.
    """

    caches: tuple[LayerCache, ...]
    source_mask: Bool[Tensor, "batch source"]
    padded: bool
    length: int


class Transformer(nn.Module):
    """Translate: encode the source, then predict each target token from it and those before.

    ``x_0 = Dropout(sqrt(d_model) E[token] + P[position])`` on both sides;
    ``memory = N(encoder layers(x_0))``, each position reading all real source tokens;
    ``logits = U N(decoder layers(y_0, memory))``, each position reading itself, what stands before
    it in the target, and all real source tokens

    E is a table for each side, P sinusoids or a learned table, N a LayerNorm where
    `config.ends_in_norm`, and U the unembedding, without a bias: the target's E unless
    ``shared="none"``. E and U start with variance ``1 / d_model``, so that stream and logits start
    with a variance of about 1 each (sinusoids add 1/2).

    Padding stands on the right. A real target position never reads the padding behind it, since the
    causal mask forbids it; what the model says at padding is for no one to read.

    Source: Vaswani et al. (2017), sections 3 and 5.4; Xiong et al. (2020) for pre-norm. Chapter 05
    assembles and trains it.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        self.target_embedding = _table(config.target_vocabulary, config.d_model)
        if config.shared == "all":
            self.source_embedding = self.target_embedding
        else:
            self.source_embedding = _table(
                config.source_vocabulary, config.d_model
            )
        self.source_positions = _positions(config)
        self.target_positions = _positions(config)
        self.dropout = nn.Dropout(float(config.dropout))
        self.encoder_layers = _layers(
            EncoderLayer, config.encoder_layers, config
        )
        self.encoder_norm = _final_norm(config)
        self.decoder_layers = _layers(
            DecoderLayer, config.decoder_layers, config
        )
        self.decoder_norm = _final_norm(config)
        self.unembedding = (
            _unembedding(config) if config.shared == "none" else None
        )

    def forward(
        self, batch: Batch, *, need_weights: bool = False
    ) -> TransformerOutput:
        """Predict every target token from the source and the true tokens before it.

        Args:
            batch: source, what the decoder reads (one step behind what it should say), and masks.
            need_weights: whether to return the weights; without them torch's fused kernel is used.
        """
        check_same_batch(batch)
        source, mask = batch.source, batch.source_mask
        states, encoder_weights = self._encode(source, mask, need_weights)
        memory = self.encoder_norm(states[-1])
        y, pairs = self._decode(
            batch.target_in, batch.target_mask, memory, mask, need_weights
        )
        logits = self._unembed(y)
        if not need_weights:
            return TransformerOutput(logits, None)
        decoder_weights, cross_weights = zip(*pairs, strict=True)
        return TransformerOutput(
            logits,
            TransformerWeights(encoder_weights, decoder_weights, cross_weights),
        )

    def encode(
        self,
        source: Int64[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
    ) -> Float[Tensor, "batch source d_model"]:
        """Return the memory: what the decoder reads of the source.

        Args:
            source: token numbers.
            source_mask: True at real tokens, with padding on the right only.
        """
        return self.encoder_norm(self.encoder_states(source, source_mask)[-1])

    def encoder_states(
        self,
        source: Int64[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
    ) -> tuple[Float[Tensor, "batch source d_model"], ...]:
        """Return the encoder's stream after the embedding and after each layer.

        That is one tensor more than there are layers. The memory is the last one, behind a
        LayerNorm where `config.ends_in_norm`. Chapter 08 looks into them.

        Args:
            source: token numbers.
            source_mask: True at real tokens, with padding on the right only.
        """
        return self._encode(source, source_mask, False)[0]

    def start(
        self,
        source: Int64[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
    ) -> TransformerState:
        """Encode the source; return the decoder's state before the first token."""
        memory, room = self.encode(source, source_mask), self.config.max_length
        caches = tuple(
            layer.start(memory, max_length=room) for layer in self._decoder
        )
        return TransformerState(caches, source_mask, not source_mask.all(), 0)

    def step(
        self, token: Int64[Tensor, " batch"], state: TransformerState
    ) -> tuple[
        Float[Tensor, "batch vocabulary"],
        TransformerState,
        Float[Tensor, "batch source"],
    ]:
        """Read one target token; return logits for the next, the new state and weights.

        The logits are those that `forward` gives at that position. The weights are the last layer's
        cross-attention, its mean over the heads. For inference: no gradient reaches the source or
        an earlier token.

        Args:
            token: one token number for each sequence, first BOS.
            state: from `start`, or the newest that a step returned.
        """
        config, filled = self.config, state.caches[0].attention
        check_step(
            token, state.length, filled, vocabulary=config.target_vocabulary
        )
        table, positions = self.target_embedding, self.target_positions
        y = self._embed(token[:, None], table, positions, first=state.length)
        mask = state.source_mask[:, None] if state.padded else None
        for layer, cache in zip(self._decoder, state.caches, strict=True):
            y, pair = layer.step(
                y, cache, mask, need_weights=cache is state.caches[-1]
            )
        _, cross_weights = cast(
            tuple[Tensor, Tensor], pair
        )  # [batch, head, 1, source]
        weights = cross_weights.mean(dim=1)[:, 0]
        new = replace(state, length=state.length + 1)
        return self._unembed(y)[:, 0], new, weights

    def reorder(
        self, state: TransformerState, index: Int64[Tensor, " kept"]
    ) -> TransformerState:
        """Return the state in which sequence b goes on from what sequence ``index[b]`` has read.

        It changes the caches, so the state given cannot be continued any more. A beam search drops
        some prefixes and continues others more than once (chapter 06).
        """
        for cache in state.caches:
            cache.reorder(index)
        return replace(state, source_mask=state.source_mask[index])

    @property
    def _decoder(self) -> list[DecoderLayer]:
        return [cast(DecoderLayer, layer) for layer in self.decoder_layers]

    def _encode(
        self, source: Tensor, source_mask: Tensor, need_weights: bool
    ) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
        """Return the stream at each station of the encoder, and the weights that were asked for."""
        config = self.config
        sizes = {
            "vocabulary": config.source_vocabulary,
            "max_length": config.max_length,
        }
        check_tokens(
            "source", source, source_mask, mask_name="source_mask", **sizes
        )
        states = [
            self._embed(source, self.source_embedding, self.source_positions)
        ]
        weights = []
        for layer in self.encoder_layers:
            x, layer_weights = layer(
                states[-1], source_mask[:, None], need_weights
            )
            states.append(x)
            if layer_weights is not None:
                weights.append(layer_weights)
        return tuple(states), tuple(weights)

    def _decode(
        self,
        target: Tensor,
        target_mask: Tensor,
        memory: Tensor,
        source_mask: Tensor,
        need_weights: bool,
    ) -> tuple[Tensor, list[tuple[Tensor, Tensor]]]:
        config = self.config
        sizes = {
            "vocabulary": config.target_vocabulary,
            "max_length": config.max_length,
        }
        check_tokens(
            "target_in", target, target_mask, mask_name="target_mask", **sizes
        )
        causal = causal_mask(target.shape[1], device=target.device)
        y, pairs = (
            self._embed(target, self.target_embedding, self.target_positions),
            [],
        )
        for layer in self.decoder_layers:
            y, pair = layer(
                y, memory, causal, source_mask[:, None], need_weights
            )
            if pair is not None:
                pairs.append(pair)
        return y, pairs

    def _embed(
        self,
        tokens: Tensor,
        table: nn.Embedding,
        positions: nn.Module,
        first: int = 0,
    ) -> Tensor:
        """Return the stream that the first layer of a side reads."""
        scaled = math.sqrt(self.config.d_model) * table(tokens)
        return self.dropout(positions(scaled, first=first))

    def _unembed(self, y: Tensor) -> Tensor:
        U = (
            self.target_embedding
            if self.unembedding is None
            else self.unembedding
        )
        return linear(self.decoder_norm(y), U.weight)


def _table(vocabulary: int, d_model: int) -> nn.Embedding:
    table = nn.Embedding(vocabulary, d_model)
    nn.init.normal_(table.weight, std=d_model**-0.5)
    return table


def _unembedding(config: TransformerConfig) -> nn.Linear:
    unembedding = nn.Linear(
        config.d_model, config.target_vocabulary, bias=False
    )
    nn.init.normal_(unembedding.weight, std=config.d_model**-0.5)
    return unembedding


def _positions(config: TransformerConfig) -> nn.Module:
    return POSITIONS[config.positions](
        max_length=config.max_length, d_model=config.d_model
    )


def _layers(
    kind: type[EncoderLayer] | type[DecoderLayer],
    count: int,
    config: TransformerConfig,
) -> nn.ModuleList:
    def layer() -> nn.Module:
        return kind(
            config.d_model,
            config.num_heads,
            config.d_ff,
            norm=config.norm,
            activation=config.activation,
            dropout=config.dropout,
        )

    return nn.ModuleList(
        [layer()] * count
        if config.share_layers
        else [layer() for _ in range(count)]
    )


def _final_norm(config: TransformerConfig) -> nn.Module:
    return LayerNorm(config.d_model) if config.ends_in_norm else nn.Identity()
