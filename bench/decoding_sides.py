"""Greedy decoding in three ways, from the same weights: our cache, no cache, x-transformers' cache.

The model is that of the training steps (`bench.training_sides.config`). No side may stop early: the
row of EOS in the unembedding is zero, so that EOS has the logit 0, and among many random logits the
largest lies above it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from bench.sides import X_TRANSFORMERS
from bench.training_sides import as_x_transformer
from bottomup.data import BOS, EOS, Batch
from bottomup.decoding import StepwiseDecoder, greedy
from bottomup.masks import causal_mask
from bottomup.models import Transformer
from bottomup.results.speed import RE_DECODING


class Source(NamedTuple):
    """What is decoded: token numbers [batch, source], and which of them are real."""

    tokens: Tensor
    mask: Tensor


@dataclass(frozen=True, kw_only=True)
class DecodingSide:
    """One way to decode.

    Attributes:
        module: the model, whose dtype may be changed.
        decode: returns as many tokens as are asked for, [batch, length].
        logits: returns what the side says after each of the tokens given, in one pass where it can.
    """

    module: nn.Module
    decode: Callable[[int], Tensor]
    logits: Callable[[Tensor], Tensor]


def without_eos(model: Transformer) -> Transformer:
    """Return the model, which gives EOS the logit 0 from now on."""
    with torch.no_grad():
        model.get_parameter("unembedding.weight")[EOS] = 0.0
    return model


def ours(model: Transformer, source: Source) -> DecodingSide:
    """Return this package's way: `greedy` with the key–value cache."""

    def logits(read: Tensor) -> Tensor:
        state, said = model.start(*source), []
        for token in read.unbind(dim=1):
            row, state, _weights = model.step(token, state)
            said.append(row)
        return torch.stack(said, dim=1)

    return DecodingSide(module=model, decode=_greedy(model, source), logits=logits)


class ReDecoding(nn.Module):
    """The same model without a cache: the decoder reads the whole prefix again for each token.

    The encoder runs once all the same, and only the last position is unembedded.
    """

    class State(NamedTuple):
        """The encoded source, its mask [batch, 1, source], and what was read so far."""

        memory: Tensor
        mask: Tensor
        read: Tensor

    def __init__(self, model: Transformer) -> None:
        super().__init__()
        self.model = model

    def start(self, source: Tensor, source_mask: Tensor) -> State:
        """Encode the source."""
        nothing = source.new_zeros(len(source), 0)
        return self.State(self.model.encode(source, source_mask), source_mask[:, None], nothing)

    def step(self, token: Tensor, state: State) -> tuple[Tensor, State, None]:
        """Read one token more, and with it all tokens before it."""
        model = self.model
        read = torch.cat([state.read, token[:, None]], dim=1)
        causal = causal_mask(read.shape[1])
        scaled = math.sqrt(model.config.d_model) * model.target_embedding(read)
        y = model.target_positions(scaled)
        for layer in model.decoder_layers:
            y, _weights = layer(y, state.memory, causal, state.mask)
        last = model.decoder_norm(y[:, -1])
        logits = linear(last, model.get_parameter("unembedding.weight"))
        return logits, self.State(state.memory, state.mask, read), None


def re_decoding(model: Transformer, source: Source) -> DecodingSide:
    """Return our model without its cache; its logits are those of one pass over all tokens."""

    def logits(read: Tensor) -> Tensor:
        real = torch.ones_like(read, dtype=torch.bool)
        whole: Tensor = model(Batch(*source, read, read, real)).logits
        return whole

    return DecodingSide(module=model, decode=_greedy(ReDecoding(model), source), logits=logits)


def of_x_transformers(model: Transformer, source: Source) -> DecodingSide:
    """Return ``XTransformer.generate`` with its cache, torch's fused kernel and temperature 0.

    A batch without padding needs no mask, and it gets none. It never stops early, since it is not
    told of EOS.
    """
    module = as_x_transformer(model)
    mask = None if source.mask.all() else source.mask
    start = source.tokens.new_full((len(source.tokens), 1), BOS)

    def decode(length: int) -> Tensor:
        found: Tensor = module.generate(source.tokens, start, length, mask=mask, temperature=0.0)
        return found

    def logits(read: Tensor) -> Tensor:
        memory = module.encoder(source.tokens, mask=mask, return_embeddings=True)
        said: Tensor = module.decoder.net(read, context=memory, context_mask=mask)
        return said

    return DecodingSide(module=module, decode=decode, logits=logits)


def _greedy(model: StepwiseDecoder, source: Source) -> Callable[[int], Tensor]:
    return lambda length: greedy(model, *source, max_length=length).tokens


DECODED = {RE_DECODING: re_decoding, X_TRANSFORMERS: of_x_transformers}
