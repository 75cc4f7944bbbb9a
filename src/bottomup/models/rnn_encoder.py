"""The encoder of chapter 01: a bidirectional GRU, and what it hands on."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from bottomup.checks import (
    check_integer,
    check_token_ids,
    checked,
)


@dataclass(frozen=True)
class Memory:
    """What the encoder knows of a batch of source sentences.

    Attributes:
        states: h_j, one vector for each source position; zero on padding.
        mask: True where there is a token; it broadcasts over the queries.
        summary: the last state of each direction, concatenated. It is the fixed
            vector of the encoder-decoder without attention.
    """

    states: Float[Tensor, "batch source d_state"]
    mask: Bool[Tensor, "batch 1 source"]
    summary: Float[Tensor, "batch d_state"]


class BidirectionalEncoder(nn.Module):
    """Read the source forwards and backwards with two GRUs.

    ``h_j = [forward_j; backward_j]``, each half d_state / 2 wide, so that h_j
    describes the whole sentence with a focus on position j.

    Args:
        vocabulary: number of token types.
        d_embedding: width of the token vectors.
        d_state: width of h_j; even.

    Source: Bahdanau et al. (2015), section 3.2; the GRU after Cho et al.
    (2014), in PyTorch's form. Chapter 01 derives it.
    """

    def __init__(
        self, vocabulary: int, *, d_embedding: int, d_state: int
    ) -> None:
        super().__init__()
        check_integer("vocabulary", vocabulary, at_least=1)
        check_integer("d_embedding", d_embedding, at_least=1)
        check_integer("d_state", d_state, at_least=2)
        if d_state % 2:
            wanted = "an even width, half a direction"
            raise ValueError(f"d_state: expected {wanted}, got {d_state}")
        self.vocabulary = vocabulary
        self.embedding = nn.Embedding(vocabulary, d_embedding)
        width, half = int(d_embedding), int(d_state) // 2  # torch's own kind
        self.gru = nn.GRU(width, half, batch_first=True, bidirectional=True)

    @checked
    def forward(
        self,
        source: Int64[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
    ) -> Memory:
        """Encode a batch.

        Args:
            source: token numbers, padded on the right.
            source_mask: True where `source` holds a token, False on padding.
        """
        check_token_ids(
            "source", source, "batch source", vocabulary=self.vocabulary
        )
        if (source_mask[:, 1:] & ~source_mask[:, :-1]).any():
            raise ValueError("source_mask: expected padding on the right only")
        states, last = self._run(self.embedding(source), source_mask)
        summary = last.transpose(0, 1).flatten(1)  # [batch, both halves]
        empty = ~source_mask.any(dim=1, keepdim=True)  # [batch, 1]
        summary = summary.masked_fill(empty, 0.0)
        return Memory(states, source_mask[:, None, :], summary)

    def _run(self, embedded: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return h_j [batch, source, d_state] and the last [2, batch, half]."""
        if mask.all():
            return self.gru(embedded)
        # Without packing, the backward GRU would start on padding. An empty
        # sentence counts as one step long, because packing knows no length 0;
        # its states are zeroed with the padding.
        lengths = mask.sum(dim=1).clamp(min=1).cpu()
        packed = pack_padded_sequence(
            embedded, lengths, batch_first=True, enforce_sorted=False
        )
        states, last = self.gru(packed)
        padded, _ = pad_packed_sequence(
            states, batch_first=True, total_length=mask.shape[1]
        )
        return torch.where(mask[..., None], padded, 0.0), last
