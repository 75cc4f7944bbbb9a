"""Luong's decoder with input feeding: what was attended to is fed back."""

from dataclasses import replace

import torch
from jaxtyping import Int64
from torch import Tensor, nn

from bottomup.models.rnn_decoders import (
    Decoder,
    DecoderState,
    Readout,
    StepOutput,
    TargetOutput,
    read_memory,
)
from bottomup.models.rnn_encoder import Memory


class InputFeedingDecoder(Decoder):
    """Advance the state with the last attentional vector, then attend with it.

    ``h_t = GRU([E y_{t-1}; h~_{t-1}], h_{t-1})``,  ``c_t = sum_s a_ts h_s``,
    scored with h_t,  ``h~_t = tanh(W_c [c_t; h_t])``,  ``h~_0 = 0``,
    logits ``W_s h~_t``

    h_t depends on what the steps before it have read, so the steps cannot be
    computed all at once, as they can in `LuongDecoder`. Bahdanau's decoder lets
    c_i reach the state s_i itself; here c_t reaches the state one step later.

    Source: Luong et al. (2015), section 3.3, with a GRU of one layer in the
    place of stacked LSTMs. Chapter 01b derives it.
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
    ) -> TargetOutput:
        """Return logits and weights for a whole target, step by step."""
        embedded = self._embed_target(target_in, memory)
        state, steps = self.start(memory), []
        for E_y in embedded.unbind(dim=1):
            state, attentional, weights = self._advance(E_y, state)
            steps.append((attentional, weights))
        attentional, weights = (
            torch.stack(rows, 1) for rows in zip(*steps, strict=True)
        )
        return self.readout.logits(attentional), weights

    def step(
        self, token: Int64[Tensor, " batch"], state: DecoderState
    ) -> StepOutput:
        """Read one token; see `Decoder.step`."""
        E_y = self._embed_token(token, state)
        state, attentional, weights = self._advance(E_y, state)
        return self.readout.logits(attentional), state, weights

    def _advance(
        self, E_y: Tensor, state: DecoderState
    ) -> tuple[DecoderState, Tensor, Tensor]:
        """Return the state, h~_t [batch, d_state] and a_t [batch, source]."""
        if state.attentional is None:
            raise ValueError(
                "state: expected one that InputFeedingDecoder.start returned"
            )
        h = self.cell(torch.cat([E_y, state.attentional], -1), state.hidden)
        context, weights = read_memory(self.attention, h[:, None], state)
        attentional = self.readout.attentional(context[:, 0], h)
        after = replace(state.after(h), attentional=attentional)
        return after, attentional, weights[:, 0]
