"""A trained Transformer with parts switched off, or with other states in it."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import cast

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from bottomup.attention import MultiHeadAttention
from bottomup.attention.cache import check_index
from bottomup.blocks import DecoderLayer, EncoderLayer
from bottomup.checks import check_choice, check_integer, check_token_ids
from bottomup.models.transformer import (
    Transformer,
    TransformerOutput,
    TransformerWeights,
)

SIDES = ("source", "target")
_States = dict[str, Tensor]  # [batch, position, d_model] by station


@dataclass(frozen=True)
class Patch:
    """A state of the stream that is replaced by another one.

    Attributes:
        station: "source" or "target" for what a side's first layer reads,
            "encoder_layers.0" for what leaves a layer, "memory" for what the
            decoder reads of the source.
        position: at which position of the sequence, counted from 0; of a
            shorter sequence nothing is replaced.
        state: d_model numbers.
    """

    station: str
    position: int
    state: tuple[float, ...]


@dataclass(frozen=True, kw_only=True, repr=False)
class Changes:
    """What is changed in a trained Transformer; by default nothing.

    Parts have the names of their modules. A sublayer is one of
    ``encoder_layers.0.attention``, ``encoder_layers.0.feed_forward``,
    ``decoder_layers.0.attention``, ``decoder_layers.0.cross_attention`` and
    ``decoder_layers.0.feed_forward``, with the number of its layer.

    Attributes:
        heads: heads that put out zeros: a sublayer's name and the head's
            number, ``decoder_layers.1.cross_attention:2``.
        skips: sublayers whose result replaces the stream, ``x <- update``; with
            post-norm, ``x <- N(update)``.
        updates: sublayers whose result is not added, ``x <- x``; with
            post-norm, ``x <- N(x)``.
        positions: "source" or "target", where no position is added.
        causal: whether a target position reads only itself and what stands
            before it. The model was trained so.
        hidden: positions of the source that nobody reads.
        patches: states that come from elsewhere.

    Chapter 05 changes its translator with it.
    """

    heads: tuple[str, ...] = ()
    skips: tuple[str, ...] = ()
    updates: tuple[str, ...] = ()
    positions: tuple[str, ...] = ()
    causal: bool = True
    hidden: tuple[int, ...] = ()
    patches: tuple[Patch, ...] = ()

    def __repr__(self) -> str:
        changed = [
            f"{field.name}={getattr(self, field.name)!r}"
            for field in fields(self)
            if getattr(self, field.name) != field.default
        ]
        return f"Changes({', '.join(changed)})"


@dataclass(frozen=True, eq=False)
class ChangedState:
    """What decoding remembers between two tokens: the memory and the tokens.

    Attributes:
        memory: the encoded source.
        source_mask: True at real tokens.
        tokens: the target tokens read so far.
    """

    memory: Float[Tensor, "batch source d_model"]
    source_mask: Bool[Tensor, "batch source"]
    tokens: Int64[Tensor, "batch target"]


class ChangedTransformer(nn.Module):
    """A Transformer under `Changes`, computed layer by layer.

    Each sublayer is ``x <- x + sublayer(N(x))`` as in the model, but for the
    changes. `greedy`, `sampled` and `beam_search` decode with it. It keeps no
    keys and values: without the causal mask each new token changes the states
    of those before it, so that all are computed again.

    What it shows is an effect in one model. A part without which a translation
    breaks need not be the part that makes it.

    Args:
        model: in evaluation mode; its parameters are shared.
        changes: what is changed.

    Chapter 05 changes its translator with it.
    """

    def __init__(self, model: Transformer, changes: Changes) -> None:
        super().__init__()
        _check_names(model, changes)
        self.model, self.changes = model, changes
        self.config = model.config

    def forward(
        self,
        source: Int64[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
        target_in: Int64[Tensor, "batch target"],
    ) -> TransformerOutput:
        """Return logits and weights for targets of one length.

        A changed model may write PAD or BOS. Here they are tokens like others.

        Args:
            source: source tokens, EOS included.
            source_mask: True at real tokens.
            target_in: what the decoder reads, BOS first.
        """
        return self._run(source, source_mask, target_in, {})

    def states(
        self,
        source: Int64[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
        target_in: Int64[Tensor, "batch target"],
    ) -> dict[str, Float[Tensor, "batch position d_model"]]:
        """Return the stream at each station that `Patch` names.

        Args:
            source, source_mask, target_in: as in `forward`.
        """
        states: dict[str, Tensor] = {}
        self._run(source, source_mask, target_in, states)
        return states

    def start(
        self,
        source: Int64[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
    ) -> ChangedState:
        """Encode the source; return the state before the first token."""
        self.model._check_source(source, source_mask)
        memory, _ = self._encode(source, source_mask, {})
        return ChangedState(memory, source_mask, source[:, :0])

    def step(
        self, token: Int64[Tensor, " batch"], state: ChangedState
    ) -> tuple[
        Float[Tensor, "batch vocabulary"],
        ChangedState,
        Float[Tensor, "batch source"],
    ]:
        """Read one target token, as `Transformer.step` does.

        Args:
            token: one token number for each sequence, first BOS.
            state: from `start` or from a step; each can be continued again.
        """
        self._check_tokens("token", token, "batch", len(state.tokens))
        tokens = torch.cat([state.tokens, token[:, None]], dim=1)
        logits, _, cross = self._decode(
            tokens, state.memory, state.source_mask, {}
        )
        new = replace(state, tokens=tokens)
        return logits[:, -1], new, cross[-1].mean(dim=1)[:, -1]

    def reorder(
        self, state: ChangedState, index: Int64[Tensor, " kept"]
    ) -> ChangedState:
        """Return the state in which sequence b goes on from ``index[b]``."""
        check_index(state.memory, index)
        return ChangedState(
            state.memory[index], state.source_mask[index], state.tokens[index]
        )

    def _run(
        self, source: Tensor, mask: Tensor, target: Tensor, states: _States
    ) -> TransformerOutput:
        self.model._check_source(source, mask)
        self._check_tokens("target_in", target, "batch target", len(source))
        memory, encoder = self._encode(source, mask, states)
        logits, own, cross = self._decode(target, memory, mask, states)
        weights = TransformerWeights(tuple(encoder), tuple(own), tuple(cross))
        return TransformerOutput(logits, weights)

    def _check_tokens(
        self, name: str, tokens: Tensor, axes: str, batch: int
    ) -> None:
        words = self.config.target_vocabulary
        check_token_ids(name, tokens, axes, vocabulary=words)
        if len(tokens) != batch:
            wanted = f"batch={batch} as in the source"
            raise ValueError(f"{name}: expected {wanted}, got {len(tokens)}")

    def _encode(
        self, source: Tensor, mask: Tensor, states: _States
    ) -> tuple[Tensor, list[Tensor]]:
        model, seen, weights = self.model, self._seen(mask), []
        x = self._embed("source", source)  # [batch, source, d_model]
        x = self._arrive(x, "source", states)
        for number, layer in enumerate(model.encoder_layers):
            name = f"encoder_layers.{number}"
            x, read = self._attend(x, None, layer, f"{name}.attention", seen)
            x = self._feed_forward(x, layer, f"{name}.feed_forward")
            x = self._arrive(x, name, states)
            weights.append(read)
        return self._arrive(model.encoder_norm(x), "memory", states), weights

    def _decode(
        self, target: Tensor, memory: Tensor, mask: Tensor, states: _States
    ) -> tuple[Tensor, list[Tensor], list[Tensor]]:
        model, seen, own, cross = self.model, self._seen(mask), [], []
        y = self._embed("target", target)  # [batch, target, d_model]
        y = self._arrive(y, "target", states)
        for number, layer in enumerate(model.decoder_layers):
            name = f"decoder_layers.{number}"
            y, read = self._attend(y, None, layer, f"{name}.attention", None)
            own.append(read)
            part = f"{name}.cross_attention"
            y, read = self._attend(y, memory, layer, part, seen)
            cross.append(read)
            y = self._feed_forward(y, layer, f"{name}.feed_forward")
            y = self._arrive(y, name, states)
        return model._unembed(model.decoder_norm(y)), own, cross

    def _embed(self, side: str, tokens: Tensor) -> Tensor:
        """Return ``sqrt(d_model) E[token] + P[position]``, P unless changed."""
        model = self.model
        table = getattr(model, f"{side}_embedding")
        if side in self.changes.positions:
            return self.config.d_model**0.5 * table(tokens)
        return model._embed(tokens, table, getattr(model, f"{side}_positions"))

    def _seen(self, mask: Tensor) -> Tensor:
        """Return which source positions may be read, [batch, 1, source]."""
        mask = mask.clone()
        for position in self.changes.hidden:
            mask[:, position : position + 1] = False
        return mask[:, None]

    def _attend(
        self,
        x: Tensor,
        memory: Tensor | None,
        layer: nn.Module,
        name: str,
        mask: Tensor | None,
    ) -> tuple[Tensor, Tensor]:
        """Return the stream behind an attention, and its weights.

        The weights are [batch, head, query, key].
        """
        part = name.rsplit(".", 1)[1]
        attention = cast(MultiHeadAttention, getattr(layer, part))
        read = getattr(layer, f"around_{part}").read(x)
        key = read if memory is None else memory
        on = [f"{name}:{h}" not in self.changes.heads
              for h in range(attention.num_heads)]  # fmt: skip
        update, weights = attention(
            read,
            key,
            key,
            mask,
            causal=name.startswith("decoder")
            and memory is None
            and self.changes.causal,
            head_mask=torch.tensor([on], device=x.device),
        )
        return self._write(x, update, layer, name), weights

    def _feed_forward(self, x: Tensor, layer: nn.Module, name: str) -> Tensor:
        one = cast(EncoderLayer | DecoderLayer, layer)
        update = one.feed_forward(one.around_feed_forward.read(x))
        return self._write(x, update, layer, name)

    def _write(
        self, x: Tensor, update: Tensor, layer: nn.Module, name: str
    ) -> Tensor:
        """Return ``x + update``, or what the changes leave of it."""
        around = getattr(layer, f"around_{name.rsplit('.', 1)[1]}")
        nothing = torch.zeros_like(x)
        if name in self.changes.updates:
            return around.write(x, nothing)
        if name in self.changes.skips:
            return around.write(nothing, update)
        return around.write(x, update)

    def _arrive(self, x: Tensor, station: str, states: _States) -> Tensor:
        """Return the stream at a station, with the states patched in there."""
        for patch in self.changes.patches:
            if patch.station == station and patch.position < x.shape[1]:
                x = x.clone()
                x[:, patch.position] = x.new_tensor(patch.state)
        states[station] = x
        return x


def _check_names(model: Transformer, changes: Changes) -> None:
    """Check that all that is changed is there: else nothing would change."""
    config = model.config
    encoder = [f"encoder_layers.{n}" for n in range(config.encoder_layers)]
    decoder = [f"decoder_layers.{n}" for n in range(config.decoder_layers)]
    attentions = [f"{layer}.attention" for layer in encoder + decoder]
    attentions += [f"{layer}.cross_attention" for layer in decoder]
    networks = [f"{layer}.feed_forward" for layer in encoder + decoder]
    heads = [f"{a}:{n}" for a in attentions for n in range(config.num_heads)]
    stations = ["source", *encoder, "memory", "target", *decoder]
    _check_each("heads", changes.heads, heads)
    _check_each("skips", changes.skips, attentions + networks)
    _check_each("updates", changes.updates, attentions + networks)
    _check_each("positions", changes.positions, SIDES)
    for patch in changes.patches:
        check_choice("station", patch.station, stations)
        check_integer("position", patch.position, at_least=0)
        if len(patch.state) != config.d_model:
            wanted, got = f"d_model={config.d_model} numbers", len(patch.state)
            raise ValueError(f"state: expected {wanted}, got {got}")
    for position in changes.hidden:
        check_integer("hidden", position, at_least=0)


def _check_each(name: str, given: Iterable[str], known: Iterable[str]) -> None:
    if isinstance(given, str):
        raise TypeError(f"{name}: expected a tuple of names, got {given!r}")
    for one in given:
        check_choice(name, one, list(known))
