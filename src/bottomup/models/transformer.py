"""The Transformer: an encoder reads the source, a decoder writes the target."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, cast

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn
from torch.nn.functional import linear

from bottomup.attention import LayerCache
from bottomup.blocks import POSITIONS, DecoderLayer, EncoderLayer, LayerNorm
from bottomup.checks import (
    check_config,
    check_token_ids,
    checked,
    point_to_from_torch,
)
from bottomup.data import Batch
from bottomup.data.batching import check_batch
from bottomup.models.transformer_config import TransformerConfig


class TransformerWeights(NamedTuple):
    """Every attention's weights, one tensor for each layer."""

    encoder: tuple[Float[Tensor, "batch head source source"], ...]
    decoder: tuple[Float[Tensor, "batch head target target"], ...]
    cross: tuple[Float[Tensor, "batch head target source"], ...]


class TransformerOutput(NamedTuple):
    """Logits, and the weights, or None if they were not asked for."""

    logits: Float[Tensor, "batch target vocabulary"]
    weights: TransformerWeights | None


@dataclass(frozen=True, eq=False)
class TransformerState:
    """What decoding remembers between two tokens.

    A step writes into the caches and returns a new state around them, so that
    only the newest state can be continued.

    Attributes:
        caches: keys and values, for each decoder layer.
        memory_mask: True at the real source tokens; None if all are.
        length: number of target tokens read so far.
    """

    caches: tuple[LayerCache, ...]
    memory_mask: Bool[Tensor, "batch 1 source"] | None
    length: int


class Transformer(nn.Module):
    """Encode the source, then predict target tokens from it and those before.

    ``x_0 = Dropout(sqrt(d_model) E[token] + P[position])`` on both sides;
    ``memory = N(encoder layers(x_0))``, where each position reads all real
    source tokens; ``logits = U N(decoder layers(y_0, memory))``, where each
    position reads itself, what stands before it in the target, and all real
    source tokens

    E is a table for each side, P sinusoids or a learned table, N a LayerNorm
    where `config.ends_in_norm`, and U the unembedding, without a bias: the
    target's E unless ``shared="none"``. E and U start with variance
    ``1 / d_model``, so that stream and logits start with a variance of about 1
    each (sinusoids add 1/2).

    Padding stands on the right. A real target position never reads the padding
    behind it, since attention in the decoder is causal; what the model says at
    padding is for no one to read.

    Source: Vaswani et al. (2017), sections 3 and 5.4; Xiong et al. (2020) for
    pre-norm. Chapter 05 assembles and trains it.

    Example:
        >>> from bottomup.data import make_batch
        >>> sizes = {"source_vocabulary": 11, "target_vocabulary": 13}
        >>> model = Transformer(TransformerConfig.preset("tiny", **sizes))
        >>> batch = make_batch([([5, 6, 7], [8, 9])])
        >>> model(batch).logits.shape  # of 8, of 9 and of EOS
        torch.Size([1, 3, 13])
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        check_config(config, TransformerConfig)
        self.config = config
        d_model, max_length = config.d_model, config.max_length
        positions = POSITIONS[config.positions]
        final_norm: Callable[[int], nn.Module] = nn.Identity
        if config.ends_in_norm:
            final_norm = partial(LayerNorm, epsilon=config.epsilon)
        self.target_embedding = _table(config.target_vocabulary, d_model)
        self.source_embedding = self.target_embedding
        if config.shared != "all":
            self.source_embedding = _table(config.source_vocabulary, d_model)
        self.source_positions = positions(
            max_length=max_length, d_model=d_model
        )
        self.target_positions = positions(
            max_length=max_length, d_model=d_model
        )
        self.dropout = nn.Dropout(float(config.dropout))
        self.encoder_layers = _layers(
            EncoderLayer, config.encoder_layers, config
        )
        self.encoder_norm = final_norm(d_model)
        self.decoder_layers = _layers(
            DecoderLayer, config.decoder_layers, config
        )
        self.decoder_norm = final_norm(d_model)
        self.unembedding: nn.Linear | None = None
        if config.shared == "none":
            words = config.target_vocabulary
            self.unembedding = nn.Linear(d_model, words, bias=False)
            nn.init.normal_(self.unembedding.weight, std=d_model**-0.5)

    def forward(
        self, batch: Batch, *, need_weights: bool = False
    ) -> TransformerOutput:
        """Predict each target token from the source and the true ones before.

        Args:
            batch: source, what the decoder reads (one step behind what it
                should say), and masks.
            need_weights: whether to return the weights; without them torch's
                fused kernel is used.
        """
        check_batch(batch)
        source, target = batch.source, batch.target_in
        mask = self._check_source(source, batch.source_mask)  # None: no padding
        self._check_target(source, target, batch.target_mask)
        encoder_weights, decoder_weights = [], []
        x = self._embed(source, self.source_embedding, self.source_positions)
        for layer in self.encoder_layers:
            x, weights = layer(x, mask, need_weights=need_weights)
            encoder_weights.append(weights)
        memory = self.encoder_norm(x)  # [batch, source, d_model]
        y = self._embed(target, self.target_embedding, self.target_positions)
        for layer in self.decoder_layers:
            y, weights = layer(
                y, memory, None, mask, need_weights=need_weights, causal=True
            )
            decoder_weights.append(weights)
        y = self.decoder_norm(y)  # [batch, target, d_model]
        logits = self._unembed(y)  # [batch, target, vocabulary]
        if not need_weights:
            return TransformerOutput(logits, None)
        own, cross = zip(*decoder_weights, strict=True)
        all_weights = TransformerWeights(tuple(encoder_weights), own, cross)
        return TransformerOutput(logits, all_weights)

    def _embed(
        self,
        tokens: Tensor,
        table: nn.Embedding,
        positions: nn.Module,
        first: int = 0,
    ) -> Tensor:
        """Return the stream that a side's first layer reads."""
        x = math.sqrt(self.config.d_model) * table(tokens)
        return self.dropout(positions(x, first=first))

    def _unembed(self, y: Tensor) -> Tensor:
        U = self.unembedding or self.target_embedding
        return linear(y, U.weight)

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

        That is one tensor more than there are layers. The memory is the last
        one, behind a LayerNorm where `config.ends_in_norm`. Chapter 08 looks
        into them.

        Args:
            source: token numbers.
            source_mask: True at real tokens, with padding on the right only.
        """
        mask = self._check_source(source, source_mask)
        x = self._embed(source, self.source_embedding, self.source_positions)
        states = [x]
        for layer in self.encoder_layers:
            x, _ = layer(x, mask)
            states.append(x)
        return tuple(states)

    def start(
        self,
        source: Int64[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
    ) -> TransformerState:
        """Encode the source; return the state before the first target token."""
        memory, room = self.encode(source, source_mask), self.config.max_length
        caches = [
            layer.start(memory, max_length=room) for layer in self._decoder
        ]
        mask = None if source_mask.all() else source_mask[:, None]
        return TransformerState(tuple(caches), mask, 0)

    def step(
        self, token: Int64[Tensor, " batch"], state: TransformerState
    ) -> tuple[
        Float[Tensor, "batch vocabulary"],
        TransformerState,
        Float[Tensor, "batch source"],
    ]:
        """Read one target token; return logits for the next, state and weights.

        The logits are those that `forward` gives at that position. The weights
        are the last layer's cross-attention, its mean over the heads. For
        inference: no gradient reaches the source or an earlier token.

        Args:
            token: one token number for each sequence, first BOS.
            state: from `start`, or the newest that a step returned.
        """
        words, length = self.config.target_vocabulary, state.length
        check_token_ids("token", token, "batch", vocabulary=words)
        _check_newest(state, len(token), len(self.decoder_layers))
        table, positions = self.target_embedding, self.target_positions
        y = self._embed(token[:, None], table, positions, first=length)
        for layer, cache in zip(self._decoder, state.caches, strict=True):
            last = cache is state.caches[-1]
            y, pair = layer.step(y, cache, state.memory_mask, need_weights=last)
        _, cross = cast(tuple[Tensor, Tensor], pair)  # [batch, head, 1, source]
        logits = self._unembed(self.decoder_norm(y))  # [batch, 1, vocabulary]
        new = replace(state, length=length + 1)
        return logits[:, 0], new, cross.mean(dim=1)[:, 0]

    def reorder(
        self, state: TransformerState, index: Int64[Tensor, " kept"]
    ) -> TransformerState:
        """Return the state in which sequence b goes on from ``index[b]``.

        It changes the caches, so the state given cannot be continued any more.
        A beam search drops some prefixes and continues others more than once
        (chapter 06).
        """
        for cache in state.caches:
            cache.reorder(index)
        mask = state.memory_mask
        return replace(state, memory_mask=None if mask is None else mask[index])

    def _load_from_state_dict(
        self, weights: dict[str, Any], prefix: str, *rest: Any
    ) -> None:
        key = f"{prefix}encoder.layers.0.self_attn.in_proj_weight"
        point_to_from_torch("models", weights, key)
        super()._load_from_state_dict(weights, prefix, *rest)

    @property
    def _decoder(self) -> list[DecoderLayer]:
        return [cast(DecoderLayer, layer) for layer in self.decoder_layers]

    @checked
    def _check_source(
        self,
        source: Int64[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
    ) -> Tensor | None:
        words = self.config.source_vocabulary
        check_token_ids("source", source, "batch source", vocabulary=words)
        return _check_padding("source_mask", source_mask)

    @checked
    def _check_target(
        self,
        source: Int64[Tensor, "batch source"],
        target_in: Int64[Tensor, "batch target"],
        target_mask: Bool[Tensor, "batch target"],
    ) -> None:
        words = self.config.target_vocabulary
        check_token_ids(
            "target_in", target_in, "batch target", vocabulary=words
        )
        _check_padding("target_mask", target_mask)


def _check_padding(name: str, mask: Tensor) -> Tensor | None:
    """Check that each row has real tokens, and padding behind them only.

    Returns:
        The mask [batch, 1, position], or None where all tokens are real; under
        ``torch.compile`` nobody knows whether they are.
    """
    if torch.compiler.is_compiling():
        return mask[:, None]
    again = (mask[:, 1:] & ~mask[:, :-1]).any()  # real tokens behind padding
    facts = torch.stack([again, mask[:, 0].all(), mask.all()])
    left, started, full = facts.tolist()  # one reading from the device
    if left:
        raise ValueError(f"{name}: expected padding on the right only")
    if not started:
        rows = (~mask[:, 0]).nonzero().flatten().tolist()
        wanted = f"a real token in each row, got none in rows {rows}"
        raise ValueError(f"{name}: expected {wanted}")
    return None if full else mask[:, None]


def _check_newest(state: TransformerState, batch: int, layers: int) -> None:
    if len(state.caches) != layers:
        wanted, got = f"a cache for each of {layers} layers", len(state.caches)
        raise ValueError(f"state: expected {wanted}, got {got}")
    cache = state.caches[0].attention
    if batch != cache.batch:
        raise ValueError(
            f"token: expected batch={cache.batch} as in the source, got {batch}"
        )
    if state.length != cache.length:
        raise ValueError(
            f"state: expected the newest, with length={cache.length}, got one "
            f"with length={state.length}; a step writes into the caches of its "
            "state, so that none can be continued twice"
        )


def _table(vocabulary: int, d_model: int) -> nn.Embedding:
    table = nn.Embedding(vocabulary, d_model)
    nn.init.normal_(table.weight, std=d_model**-0.5)
    return table


def _layers(
    kind: type[EncoderLayer] | type[DecoderLayer],
    count: int,
    config: TransformerConfig,
) -> nn.ModuleList:
    layers = [
        kind(
            config.d_model,
            config.num_heads,
            config.d_ff,
            norm=config.norm,
            activation=config.activation,
            dropout=config.dropout,
            epsilon=config.epsilon,
        )
        for _ in range(1 if config.share_layers else count)
    ]
    return nn.ModuleList(layers * count if config.share_layers else layers)


def parameter_count(config: TransformerConfig) -> dict[str, int]:
    """Count a Transformer's parameters by part, without taking memory for them.

    The parts are "embeddings" (all tables of tokens, a shared one counted
    once), "positions", "encoder_attention", "encoder_feed_forward", "norms",
    "decoder_attention", "cross_attention" and "decoder_feed_forward"; biases
    are counted where they belong. The sum of the values is the whole.

    The base model with a shared vocabulary of 37,000 has 63,082,496. Vaswani et
    al. (2017) print 65 million in table 3, and do not say how they count.

    Chapter 05 counts with it.
    """
    check_config(config, TransformerConfig)
    with torch.device("meta"):  # shapes without numbers
        model = Transformer(config)

    def of_layers(layers: nn.ModuleList, name: str) -> list[nn.Module]:
        return [layer.get_submodule(name) for layer in layers]

    encoder, decoder = model.encoder_layers, model.decoder_layers
    tables = (nn.Embedding, nn.Linear)
    parts: dict[str, list[nn.Module]] = {
        "embeddings": [m for m in model.children() if isinstance(m, tables)],
        "positions": [model.source_positions, model.target_positions],
        "encoder_attention": of_layers(encoder, "attention"),
        "encoder_feed_forward": of_layers(encoder, "feed_forward"),
        "norms": [m for m in model.modules() if isinstance(m, LayerNorm)],
        "decoder_attention": of_layers(decoder, "attention"),
        "cross_attention": of_layers(decoder, "cross_attention"),
        "decoder_feed_forward": of_layers(decoder, "feed_forward"),
    }
    return {
        part: sum(p.numel() for p in nn.ModuleList(modules).parameters())
        for part, modules in parts.items()
    }
