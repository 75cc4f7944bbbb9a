"""Three decoders for one encoder: no attention, Bahdanau's order and Luong's.

`bottomup.models.input_feeding` adds Luong's with input feeding.

Each decoder offers

- ``decoder(target_in, memory)``: logits and weights for a whole target, the
  true tokens given;
- ``decoder.start(memory)`` and ``decoder.step(token, state)``: one token at a
  time.

`Decoder.unroll` writes the first in terms of the second. It is the oracle for
decoders that compute all steps at once.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from bottomup.attention import AdditiveAttention, LocalAttention, attend
from bottomup.checks import check_integer, check_token_ids, may_meet
from bottomup.models.rnn_encoder import Memory


@dataclass(frozen=True)
class DecoderState:
    """Where a decoder stands after some tokens.

    Attributes:
        memory: what the encoder knows.
        hidden: the decoder's recurrent state.
        projected_key: ``U_a h_j``, computed once a sentence; None where no such
            projection is used.
        position: number of tokens read so far, the t of the next query counted
            from 0.
        attentional: ``h~_{t-1}``, where it is fed back; None elsewhere.
    """

    memory: Memory
    hidden: Float[Tensor, "batch d_state"]
    projected_key: Float[Tensor, "batch source d_attention"] | None = None
    position: int = 0
    attentional: Float[Tensor, "batch d_state"] | None = None

    def after(self, hidden: Float[Tensor, "batch d_state"]) -> "DecoderState":
        """Return the state one token later, with a new recurrent state."""
        return replace(self, hidden=hidden, position=self.position + 1)


# Logits, and weights, which are None without attention.
StepOutput = tuple[
    Float[Tensor, "batch vocabulary"],
    DecoderState,
    Float[Tensor, "batch source"] | None,
]
TargetOutput = tuple[
    Float[Tensor, "batch target vocabulary"],
    Float[Tensor, "batch target source"] | None,
]


class Decoder(nn.Module, ABC):
    """What the decoders share: target embedding, first state, looped form.

    Chapter 01 builds three of them, chapter 01b adds input feeding.
    """

    def __init__(
        self, vocabulary: int, *, d_embedding: int, d_state: int
    ) -> None:
        super().__init__()
        check_integer("vocabulary", vocabulary, at_least=1)
        check_integer("d_embedding", d_embedding, at_least=1)
        check_integer("d_state", d_state, at_least=1)
        self.embedding = nn.Embedding(vocabulary, d_embedding)
        self.bridge = nn.Linear(d_state, d_state)

    def start(self, memory: Memory) -> DecoderState:
        """Return the state before the first token.

        ``s_0 = tanh(W_s summary + b_s)``

        Bahdanau et al. (2015) start from the backward half alone; here every
        decoder starts from both halves, so that the one without attention sees
        the whole sentence.
        """
        return DecoderState(memory, torch.tanh(self.bridge(memory.summary)))

    @abstractmethod
    def step(
        self, token: Int64[Tensor, " batch"], state: DecoderState
    ) -> StepOutput:
        """Read one token; return logits, the new state, and the weights."""

    def unroll(
        self, target_in: Int64[Tensor, "batch target"], memory: Memory
    ) -> TargetOutput:
        """Call `step` for every token of `target_in` and stack the results."""
        self._embed_target(target_in, memory)
        state, logits, weights = self.start(memory), [], []
        for token in target_in.unbind(dim=1):
            step_logits, state, step_weights = self.step(token, state)
            logits.append(step_logits)
            if step_weights is not None:
                weights.append(step_weights)
        stacked = torch.stack(weights, 1) if weights else None
        return torch.stack(logits, 1), stacked

    def _embed_target(self, target_in: Tensor, memory: Memory) -> Tensor:
        """Return E y of whole targets, [batch, target, d_embedding]."""
        summary = memory.summary
        return self._embed(
            "target_in", target_in, "batch target", "memory", summary
        )

    def _embed_token(self, token: Tensor, state: DecoderState) -> Tensor:
        """Return E y of one token for each sequence, [batch, d_embedding]."""
        return self._embed("token", token, "batch", "state", state.hidden)

    def _embed(
        self, name: str, tokens: Tensor, axes: str, known: str, rows: Tensor
    ) -> Tensor:
        """Return E y for tokens that fit what is known: a row a sequence."""
        self._check_rows(known, rows)
        size = self.embedding.num_embeddings
        check_token_ids(name, tokens, axes, vocabulary=size)
        if len(tokens) != len(rows):
            wanted = f"batch={len(rows)} as in {known}"
            raise ValueError(f"{name}: expected {wanted}, got {len(tokens)}")
        return self.embedding(tokens)

    def _check_rows(self, name: str, rows: Tensor) -> None:
        """Check that a state or a memory, [batch, d_state], is our kind."""
        own = self.bridge.weight  # [d_state, d_state]
        if rows.shape[1:] != own.shape[1:]:
            wanted = f"[batch, d_state={own.shape[1]}]"
            got = tuple(rows.shape)
            raise ValueError(f"{name}: expected {wanted}, got {got}")
        if rows.device != own.device:
            wanted = f"the device {own.device} of the decoder"
            raise ValueError(f"{name}: expected {wanted}, got {rows.device}")
        if not may_meet(rows.dtype, own.dtype, own.device):
            wanted = f"the dtype {own.dtype} of the decoder"
            raise TypeError(f"{name}: expected {wanted}, got {rows.dtype}")


class Readout(nn.Module):
    """From state, context and previous token to logits.

    ``logits = W_o tanh(U [s; c; E y] + b)``

    Given context and state alone it is Luong's: `attentional` is then
    ``h~ = tanh(W_c [c; h])``, and the logits are ``W_s h~``, with a bias in
    both layers, which the paper does not print.

    Source: Bahdanau et al. (2015), appendix A.2.2, with tanh in the place of
    maxout and s_i in the place of s_{i-1}, as a decoder that has computed s_i
    would rather use it; Luong et al. (2015), section 3, equations 5 and 6.
    """

    def __init__(self, d_in: int, d_hidden: int, vocabulary: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(d_in, d_hidden)
        self.logits = nn.Linear(d_hidden, vocabulary)

    def forward(self, *parts: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """Concatenate the parts along their last axis and return logits."""
        return self.logits(self.attentional(*parts))

    def attentional(self, *parts: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """Return the hidden layer that the logits are read from."""
        return torch.tanh(self.hidden(torch.cat(parts, dim=-1)))


def read_memory(
    attention: nn.Module,
    hidden: Float[Tensor, "batch query d_state"],
    state: DecoderState,
) -> tuple[
    Float[Tensor, "batch query d_state"], Float[Tensor, "batch query source"]
]:
    """Attend to the encoder's states with queries from `state.position` on.

    The position matters to local attention alone, so that other modules are not
    told of it.
    """
    states, mask = state.memory.states, state.memory.mask
    if isinstance(attention, LocalAttention):
        first = state.position
        return attention(hidden, states, states, mask, first_query=first)
    return attention(hidden, states, states, mask)


class FixedVectorDecoder(Decoder):
    """A decoder without attention: all it learns of the source is the summary.

    ``s_i = GRU([E y_{i-1}; c], s_{i-1})``, the same c at every step.

    Source: Cho et al. (2014), section 2.2. Chapter 01 shows where it fails.
    """

    def __init__(
        self, vocabulary: int, *, d_embedding: int, d_state: int
    ) -> None:
        super().__init__(vocabulary, d_embedding=d_embedding, d_state=d_state)
        width, d_state = int(d_embedding), int(d_state)  # torch's own kind
        self.gru = nn.GRU(width + d_state, d_state, batch_first=True)
        self.readout = Readout(2 * d_state + d_embedding, d_state, vocabulary)

    def forward(
        self, target_in: Int64[Tensor, "batch target"], memory: Memory
    ) -> TargetOutput:
        """Return ``(logits, None)`` for a whole target, all steps at once."""
        E_y = self._embed_target(target_in, memory)
        c = memory.summary[:, None].expand(-1, E_y.shape[1], -1)
        s_0 = self.start(memory).hidden[None]  # [1, batch, d_state]
        s, _ = self.gru(torch.cat([E_y, c], dim=-1), s_0)
        return self.readout(s, c, E_y), None  # each [batch, target, ...]

    def step(
        self, token: Int64[Tensor, " batch"], state: DecoderState
    ) -> StepOutput:
        """Read one token; see `Decoder.step`."""
        E_y, c = self._embed_token(token, state), state.memory.summary
        gru_in = torch.cat([E_y, c], dim=-1)[:, None]  # [batch, 1, ...]
        s = self.gru(gru_in, state.hidden[None])[1][0]  # [batch, d_state]
        return self.readout(s, c, E_y), state.after(s), None


class BahdanauDecoder(Decoder):
    """Attend first, with the state of the step before, then advance the state.

    ``c_i = sum_j a_ij h_j``, scored with s_{i-1};
    ``s_i = GRU([E y_{i-1}; c_i], s_{i-1})``

    The context c_i enters the state s_i, so the steps cannot be computed all at
    once.

    Source: Bahdanau et al. (2015), section 3.1 and appendix A. Chapter 01
    derives it.
    """

    def __init__(
        self, vocabulary: int, *, d_embedding: int, d_state: int
    ) -> None:
        super().__init__(vocabulary, d_embedding=d_embedding, d_state=d_state)
        self.attention = AdditiveAttention(
            d_query=d_state, d_key=d_state, d_attention=d_state
        )
        self.cell = nn.GRUCell(d_embedding + d_state, d_state)
        self.readout = Readout(2 * d_state + d_embedding, d_state, vocabulary)

    def start(self, memory: Memory) -> DecoderState:
        """Return the state before the first token, the keys projected once."""
        projected = self.attention.project_key(memory.states)
        return replace(super().start(memory), projected_key=projected)

    def forward(
        self, target_in: Int64[Tensor, "batch target"], memory: Memory
    ) -> TargetOutput:
        """Return logits and weights for a whole target, step by step."""
        embedded = self._embed_target(target_in, memory)
        state, steps = self.start(memory), []
        for E_y in embedded.unbind(dim=1):
            state, c, weights = self._advance(E_y, state)
            steps.append((state.hidden, c, weights))
        s, c, weights = (
            torch.stack(rows, 1) for rows in zip(*steps, strict=True)
        )
        return self.readout(s, c, embedded), weights  # [batch, target, ...]

    def step(
        self, token: Int64[Tensor, " batch"], state: DecoderState
    ) -> StepOutput:
        """Read one token; see `Decoder.step`."""
        E_y = self._embed_token(token, state)
        state, c, weights = self._advance(E_y, state)
        return self.readout(state.hidden, c, E_y), state, weights

    def _advance(
        self, E_y: Tensor, state: DecoderState
    ) -> tuple[DecoderState, Tensor, Tensor]:
        """Return s_i, c_i [batch, d_state] and a_i [batch, source]."""
        if state.projected_key is None:
            raise ValueError(
                "state: expected one that BahdanauDecoder.start returned"
            )
        h, mask = state.memory.states, state.memory.mask
        query = state.hidden[:, None]  # s_{i-1}, [batch, 1, d_state]
        scores = self.attention.score_projected(query, state.projected_key)
        context, weights = attend(scores, h, mask)  # [batch, 1, ...]
        c = context[:, 0]
        s = self.cell(torch.cat([E_y, c], dim=-1), state.hidden)
        return state.after(s), c, weights[:, 0]


class LuongDecoder(Decoder):
    """Advance the state first, then attend with the new state.

    ``h_t = GRU(E y_{t-1}, h_{t-1})``,  ``c_t = sum_s a_ts h_s``, scored with
    h_t,  ``h~_t = tanh(W_c [c_t; h_t])``,  logits ``W_s h~_t``

    No h_t depends on a context, so all steps are one call of the GRU and one
    attention. With `LocalAttention` the attention is that of section 3.2.

    Source: Luong et al. (2015), section 3, without input feeding; see
    `InputFeedingDecoder`. Chapter 01 derives it.
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
        width, d_state = int(d_embedding), int(d_state)  # torch's own kind
        self.gru = nn.GRU(width, d_state, batch_first=True)
        self.readout = Readout(2 * d_state, d_state, vocabulary)

    def forward(
        self, target_in: Int64[Tensor, "batch target"], memory: Memory
    ) -> TargetOutput:
        """Return logits and weights for a whole target, all steps at once."""
        E_y = self._embed_target(target_in, memory)
        state = self.start(memory)
        h, _ = self.gru(E_y, state.hidden[None])  # [batch, target, d_state]
        c, weights = read_memory(self.attention, h, state)
        return self.readout(c, h), weights

    def step(
        self, token: Int64[Tensor, " batch"], state: DecoderState
    ) -> StepOutput:
        """Read one token; see `Decoder.step`."""
        E_y = self._embed_token(token, state)[:, None]
        h, _ = self.gru(E_y, state.hidden[None])  # [batch, 1, d_state]
        c, weights = read_memory(self.attention, h, state)
        logits = self.readout(c[:, 0], h[:, 0])
        return logits, state.after(h[:, 0]), weights[:, 0]
