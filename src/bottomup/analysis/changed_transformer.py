"""A trained Transformer with parts switched off, or with other states in it."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from bottomup.analysis.hooks import first_of, hooked, with_first
from bottomup.analysis.patching import Change, kept, patched
from bottomup.attention import MultiHeadAttention
from bottomup.attention.cache import check_index
from bottomup.checks import check_choice, check_integer, check_token_ids
from bottomup.data import Batch
from bottomup.models import Changes, Patch, Transformer, TransformerOutput

SIDES = ("source", "target")


@dataclass(frozen=True, eq=False)
class ChangedState:
    """What decoding remembers between two tokens: both sequences of tokens.

    Attributes:
        source: the source tokens.
        source_mask: True at real tokens.
        tokens: the target tokens read so far.
    """

    source: Int64[Tensor, "batch source"]
    source_mask: Bool[Tensor, "batch source"]
    tokens: Int64[Tensor, "batch target"]


class ChangedTransformer(nn.Module):
    """A Transformer under `Changes`: hooks change what its parts read and give.

    `greedy`, `sampled` and `beam_search` decode with it. It keeps no keys and
    values: without the causal mask each new token changes the states of those
    before it, so that all are computed again.

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
        with self._changed():
            return self._run(source, source_mask, target_in)

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
        stations = _stations(self.model)
        # The hooks that keep come behind those that change.
        with self._changed(), kept(self.model, [*stations.values()]) as states:
            self._run(source, source_mask, target_in)
        return {station: states[part] for station, part in stations.items()}

    def start(
        self,
        source: Int64[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
    ) -> ChangedState:
        """Return the state before the first token."""
        return ChangedState(source, source_mask, source[:, :0])

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
        words = self.config.target_vocabulary
        check_token_ids("token", token, "batch", vocabulary=words)
        if len(token) != len(state.tokens):
            wanted = f"batch={len(state.tokens)} as in the source"
            raise ValueError(f"token: expected {wanted}, got {len(token)}")
        new = replace(
            state, tokens=torch.cat([state.tokens, token[:, None]], 1)
        )
        logits, weights = self(new.source, new.source_mask, new.tokens)
        return logits[:, -1], new, weights.cross[-1].mean(dim=1)[:, -1]

    def reorder(
        self, state: ChangedState, index: Int64[Tensor, " kept"]
    ) -> ChangedState:
        """Return the state in which sequence b goes on from ``index[b]``."""
        check_index(state.tokens, index)
        return ChangedState(
            state.source[index], state.source_mask[index], state.tokens[index]
        )

    def _run(
        self, source: Tensor, source_mask: Tensor, target_in: Tensor
    ) -> TransformerOutput:
        real = torch.ones_like(target_in, dtype=torch.bool)
        batch = Batch(source, source_mask, target_in, target_in, real)
        return cast(TransformerOutput, self.model(batch, need_weights=True))

    @contextmanager
    def _changed(self) -> Iterator[None]:
        """Put the changes into the model for as long as the block lasts."""
        model, changes = self.model, self.changes
        parts: dict[str, Tensor | Change] = dict.fromkeys(
            changes.updates, torch.zeros_like
        )
        for station, part in _stations(model).items():
            rows = [row for row in changes.patches if row.station == station]
            if rows:
                parts[part] = partial(_with_rows, rows)
        with ExitStack() as stack:
            for side in changes.positions:
                module = model.get_submodule(f"{side}_positions")
                stack.enter_context(hooked([module], [_without_positions]))
            for name in changes.skips:
                stack.enter_context(_without_skip(model, name))
            for name, module in model.named_modules():
                if isinstance(module, MultiHeadAttention):
                    reads = partial(self._reads, name)
                    handle = module.register_forward_pre_hook(
                        reads, with_kwargs=True
                    )
                    stack.callback(handle.remove)
            stack.enter_context(patched(model, parts))
            yield

    def _reads(
        self,
        name: str,
        attention: nn.Module,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return what an attention is called with: its heads and its masks."""
        query, key, value, mask = args
        heads = range(self.config.num_heads)
        on = [f"{name}:{head}" not in self.changes.heads for head in heads]
        kwargs = {**kwargs, "head_mask": torch.tensor([on], device=key.device)}
        if name.startswith("decoder") and name.endswith(".attention"):
            kwargs["causal"] = self.changes.causal
        else:
            positions = torch.arange(key.shape[1], device=key.device)
            hidden = positions.new_tensor(self.changes.hidden)
            seen = ~torch.isin(positions, hidden)  # [source]
            mask = seen[None, None] if mask is None else mask & seen
        return (query, key, value, mask), kwargs


def _stations(model: Transformer) -> dict[str, str]:
    """Return the names of stations, and of the parts that put them out."""
    encoder, decoder = _layers(model)
    return {
        "source": "source_positions",
        **{layer: layer for layer in encoder},
        "memory": "encoder_norm",
        "target": "target_positions",
        **{layer: layer for layer in decoder},
    }


def _layers(model: Transformer) -> tuple[list[str], list[str]]:
    config = model.config
    encoder = [f"encoder_layers.{n}" for n in range(config.encoder_layers)]
    decoder = [f"decoder_layers.{n}" for n in range(config.decoder_layers)]
    return encoder, decoder


def _with_rows(rows: Sequence[Patch], output: Tensor) -> Tensor:
    output = output.clone()  # [batch, position, d_model]
    for row in rows:
        if row.position < output.shape[1]:
            output[:, row.position] = output.new_tensor(row.state)
    return output


def _without_positions(module: nn.Module, inputs: Any, output: Any) -> Tensor:
    return cast(Tensor, inputs[0])


@contextmanager
def _without_skip(model: Transformer, name: str) -> Iterator[None]:
    """Let a sublayer add ``update - x`` to the stream x, so that x is gone.

    With pre-norm the LayerNorm reads the stream, else the sublayer itself.
    """
    layer, part = name.rsplit(".", 1)
    sublayer = model.get_submodule(name)
    norm = model.get_submodule(f"{layer}.around_{part}.norm")
    reader = norm if model.config.norm == "pre" else sublayer
    stream: list[Tensor] = []

    def keep(module: nn.Module, inputs: Any) -> None:
        stream[:] = [inputs[0]]

    def without(module: nn.Module, inputs: Any, output: Any) -> Any:
        return with_first(output, first_of(output) - stream[0])

    with hooked([sublayer], [without]):
        handle = reader.register_forward_pre_hook(keep)
        try:
            yield
        finally:
            handle.remove()


def _check_names(model: Transformer, changes: Changes) -> None:
    """Check that all that is changed is there: else nothing would change."""
    config = model.config
    encoder, decoder = _layers(model)
    attentions = [f"{layer}.attention" for layer in encoder + decoder]
    attentions += [f"{layer}.cross_attention" for layer in decoder]
    networks = [f"{layer}.feed_forward" for layer in encoder + decoder]
    heads = [f"{a}:{n}" for a in attentions for n in range(config.num_heads)]
    _check_each("heads", changes.heads, heads)
    _check_each("skips", changes.skips, attentions + networks)
    _check_each("updates", changes.updates, attentions + networks)
    _check_each("positions", changes.positions, SIDES)
    for patch in changes.patches:
        check_choice("station", patch.station, list(_stations(model)))
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
