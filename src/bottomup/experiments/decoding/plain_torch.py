"""Chapter 06: the translator that most people would write, around `nn.Transformer`."""

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from bottomup.blocks import SinusoidalPositions
from bottomup.data import Batch


class Logits(NamedTuple):
    """What the loss reads."""

    logits: Tensor  # [batch, target, vocabulary]


class Prefixes(NamedTuple):
    """What has been written, and what is read: all that re-decoding keeps."""

    memory: Tensor  # [batch, source, d_model]
    source_mask: Tensor  # [batch, source]
    tokens: Tensor  # [batch, written]


class PlainTransformer(nn.Module):
    """`nn.Transformer` with one table for both languages and the logits, and sinusoids.

    It keeps no keys and values: each step of decoding computes the whole prefix anew. Its final
    norms are those that the module appends; matrices are drawn by Xavier's rule, as it draws them.
    """

    def __init__(
        self,
        *,
        vocabulary: int,
        d_model: int,
        layers: int,
        num_heads: int,
        d_ff: int,
        dropout: float,
        norm: str,
        max_length: int,
    ) -> None:
        super().__init__()
        self.table = nn.Embedding(vocabulary, d_model)
        nn.init.normal_(self.table.weight, std=d_model**-0.5)
        self.positions = SinusoidalPositions(max_length=max_length, d_model=d_model)
        self.dropout = nn.Dropout(dropout)
        self.body = nn.Transformer(
            d_model,
            num_heads,
            num_encoder_layers=layers,
            num_decoder_layers=layers,
            dim_feedforward=d_ff,
            dropout=dropout,
            norm_first=norm == "pre",
            batch_first=True,
        )
        self.body.encoder.use_nested_tensor = False  # torch warns that this path is a prototype

    def forward(self, batch: Batch) -> Logits:
        """Return logits for each target position, given the true tokens before it."""
        memory = self._encode(batch.source, batch.source_mask)
        return Logits(self._decode(batch.target_in, memory, batch.source_mask, batch.target_mask))

    def start(self, source: Tensor, source_mask: Tensor) -> Prefixes:
        """Encode the source."""
        nothing = source.new_empty(len(source), 0)
        return Prefixes(self._encode(source, source_mask), source_mask, nothing)

    def step(self, token: Tensor, state: Prefixes) -> tuple[Tensor, Prefixes, None]:
        """Read one token; return the logits of the next."""
        tokens = torch.cat([state.tokens, token[:, None]], dim=1)
        logits = self._decode(tokens, state.memory, state.source_mask, torch.ones_like(tokens) > 0)
        return logits[:, -1], state._replace(tokens=tokens), None

    def _encode(self, source: Tensor, mask: Tensor) -> Tensor:
        return self.body.encoder(self._embed(source), src_key_padding_mask=~mask)

    def _decode(self, target: Tensor, memory: Tensor, mask: Tensor, real: Tensor) -> Tensor:
        n = target.shape[1]
        future = torch.ones(n, n, dtype=torch.bool, device=target.device).triu(diagonal=1)
        y = self.body.decoder(
            self._embed(target),
            memory,
            tgt_mask=future,
            tgt_key_padding_mask=~real,
            memory_key_padding_mask=~mask,
            tgt_is_causal=True,
        )
        return linear(y, self.table.weight)

    def _embed(self, tokens: Tensor) -> Tensor:
        scaled = math.sqrt(self.table.embedding_dim) * self.table(tokens)
        return self.dropout(self.positions(scaled))
