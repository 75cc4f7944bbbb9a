"""Luong's decoder with input feeding: what was attended to is an input of the next step."""

from dataclasses import replace

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from bottomup.models.rnn_decoders import (
    Decoder,
    DecoderState,
    Readout,
    read_memory,
)
from bottomup.models.rnn_encoder import Memory


class InputFeedingDecoder(Decoder):
    """Advance the state with the last step's attentional vector, then attend with the new state.

    ``h_t = GRU([E y_{t-1}; h~_{t-1}], h_{t-1})``,  ``c_t = sum_s a_ts h_s``, scored with h_t,
    ``h~_t = tanh(W_c [c_t; h_t])``,  ``h~_0 = 0``,  logits ``W_s h~_t``

    h_t depends on what the steps before it have read, so the steps cannot be computed all at once,
    as they can in `LuongDecoder`. Bahdanau's decoder lets c_i reach the state s_i itself; here c_t
    reaches the state one step later.

    Source: Luong et al. (2015), section 3.3, with a GRU of one layer in the place of stacked LSTMs.
    Chapter 01b derives it.
    """

    def __init__(
        self,
        vocabulary: int,
        attention: nn.Module,
        *,
        d_embedding: int,
        d_state: int,
    ) -> None:
        super().__init__(vocabulary, d_embedding=d_embedding, d_state=d_state)
        self.attention = attention
        self.cell = nn.GRUCell(d_embedding + d_state, d_state)
        self.readout = Readout(2 * d_state, d_state, vocabulary)

    def start(self, memory: Memory) -> DecoderState:
        """Return the state before the first token, with ``h~_0 = 0``."""
        state = super().start(memory)
        return replace(state, attentional=torch.zeros_like(state.hidden))

    def forward(
        self, target_in: Int64[Tensor, "batch target"], memory: Memory
    ) -> tuple[
        Float[Tensor, "batch target vocabulary"],
        Float[Tensor, "batch target source"],
    ]:
        """Return logits and weights for a whole target, one step after the other."""
        embedded = self.embedding(self._checked(target_in))
        state, attentional, weights = self.start(memory), [], []
        for step_embedded in embedded.unbind(dim=1):
            state, step_attentional, step_weights = self._advance(
                step_embedded, state
            )
            attentional.append(step_attentional)
            weights.append(step_weights)
        return self.readout.logits(torch.stack(attentional, 1)), torch.stack(
            weights, 1
        )

    def step(
        self, token: Int64[Tensor, " batch"], state: DecoderState
    ) -> tuple[
        Float[Tensor, "batch vocabulary"],
        DecoderState,
        Float[Tensor, "batch source"],
    ]:
        """Read one token; see `Decoder.step`."""
        state, attentional, weights = self._advance(
            self._embed_token(token), state
        )
        return self.readout.logits(attentional), state, weights

    def _advance(
        self, embedded: Tensor, state: DecoderState
    ) -> tuple[DecoderState, Tensor, Tensor]:
        if state.attentional is None:
            raise ValueError(
                "state: expected one that InputFeedingDecoder.start returned"
            )
        gru_in = torch.cat([embedded, state.attentional], dim=-1)
        hidden = self.cell(gru_in, state.hidden)
        context, weights = read_memory(self.attention, hidden[:, None], state)
        attentional = self.readout.attentional(context[:, 0], hidden)
        return (
            replace(state.after(hidden), attentional=attentional),
            attentional,
            weights[:, 0],
        )
