"""A Transformer whose layers read sparse patterns, for sequences in rows."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, cast

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn
from torch.nn.functional import linear

from bottomup.attention import SparsePattern, SparseSelfAttention
from bottomup.attention.sparse.patterns import check_pattern
from bottomup.attention.sparse.self_attention import SCALE, start_normal
from bottomup.blocks import FeedForward, LayerNorm, PreNorm, recompute
from bottomup.checks import (
    check_choice,
    check_config,
    check_divisor,
    check_integer,
    check_number,
    check_token_ids,
    checked,
)


class SparseTransformerOutput(NamedTuple):
    """Logits, and what `SparseTransformer.forward` was asked for beside them.

    `states` holds the stream after the embedding and after each layer;
    `weights` holds each layer's attention weights. Either is None unless it was
    asked for.
    """

    logits: Float[Tensor, "batch position vocabulary"]
    states: tuple[Float[Tensor, "batch position d_model"], ...] | None
    weights: tuple[Float[Tensor, "batch head position position"], ...] | None


@dataclass(frozen=True, kw_only=True)
class SparseTransformerConfig:
    """The choices that define a `SparseTransformer`.

    Attributes:
        vocabulary: number of token types; grey levels of an image, characters
            of a text.
        length: n, the longest sequence.
        row: number of positions in a row: positions i and i + row stand in one
            column. The width of an image, the stride of a text; at most
            `length`.
        pattern: what each position of a layer reads.
        d_model: width of the stream.
        num_layers: N, the number of layers.
        num_heads: heads of each layer; it divides d_model, and is even where
            the pattern gives half of the heads to each set.
        d_ff: neurons of each feed-forward network; 4 d_model in the paper.
        dropout: probability in [0, 1) during training, for each update of the
            stream.
        scaled_init: whether the maps that write to the stream start smaller by
            1 / sqrt(2 N).
        recompute: whether a layer forgets what it computed and computes it
            again on the way back.

    Example:
        >>> pattern = SparsePattern(kind="fixed", width=4)
        >>> config = SparseTransformerConfig(
        ...     vocabulary=5, length=16, row=4, pattern=pattern
        ... )
        >>> config.pattern.merge
        'union'
    """

    vocabulary: int
    length: int
    row: int
    pattern: SparsePattern
    d_model: int = 64
    num_layers: int = 3
    num_heads: int = 4
    d_ff: int = 256
    dropout: int | float = 0.0
    scaled_init: bool = True
    recompute: bool = False

    def __post_init__(self) -> None:
        sizes = ("vocabulary", "length", "row")
        for name in (*sizes, "d_model", "num_layers", "num_heads", "d_ff"):
            check_integer(name, getattr(self, name), at_least=1)
        if self.row > self.length:
            wanted = f"at most length={self.length}"
            raise ValueError(f"row: expected {wanted}, got {self.row}")
        check_divisor("num_heads", self.num_heads, "d_model", self.d_model)
        check_pattern(self.pattern, self.num_heads)
        check_number("dropout", self.dropout, at_least=0, below=1)
        check_choice("scaled_init", self.scaled_init, (True, False))
        check_choice("recompute", self.recompute, (True, False))

    @property
    def rows(self) -> int:
        """Number of rows, the last of which may be cut."""
        return -(-self.length // self.row)


class SparseTransformerLayer(nn.Module):
    """One residual block: what the attention reads is added, then the network.

    ``a = Dropout(Attention(LayerNorm(H)))``,
    ``b = Dropout(FFN(LayerNorm(H + a)))``, ``H <- H + a + b``

    Source: Child et al. (2019), equations 12 to 14. Chapter 07 derives it.
    """

    def __init__(self, config: SparseTransformerConfig, layer: int) -> None:
        super().__init__()
        self.d_model = config.d_model
        self.attention = SparseSelfAttention(
            config.d_model,
            config.num_heads,
            pattern=config.pattern,
            layer=layer,
        )
        self.feed_forward = FeedForward(
            config.d_model, config.d_ff, activation="gelu"
        )
        self.around_attention = PreNorm(config.d_model, dropout=config.dropout)
        self.around_feed_forward = PreNorm(
            config.d_model, dropout=config.dropout
        )
        scale = 1 / math.sqrt(2 * config.num_layers)
        shrink = scale if config.scaled_init else 1.0
        start_normal(self.feed_forward.W_in)
        start_normal(self.feed_forward.W_out, shrink)
        start_normal(self.attention.W_P, shrink)

    @checked
    def forward(
        self, x: Float[Tensor, "batch position d_model"]
    ) -> Float[Tensor, "batch position d_model"]:
        """Return the stream after the block."""
        read = self.attention(self.around_attention.read(x))
        x = self.around_attention.write(x, read)  # [batch, position, d_model]
        update = self.feed_forward(self.around_feed_forward.read(x))
        return self.around_feed_forward.write(x, update)

    @checked
    def weights(
        self, x: Float[Tensor, "batch position d_model"]
    ) -> Float[Tensor, "batch head position position"]:
        """Return the attention weights for a stream, by a dense product."""
        return self.attention.weights(self.around_attention.read(x))


class SparseTransformer(nn.Module):
    """Predict every token of a sequence from those before it.

    ``H_0[i] = E[token i - 1] + R[i // row] + C[i % row]``, with a learned
    vector in place of ``E[token -1]``: the first token is predicted from
    nothing; ``H_k = layer_k(H_{k-1})``; ``logits = U LayerNorm(H_N)``

    So position i of the network holds token i - 1 and predicts token i: what a
    pattern lets i read of position j is token j - 1. R has a vector for each
    row, C one for each column, as an image has them; a text is written as rows
    as long as the stride.

    Weights start normal: E and the start vector with standard deviation
    ``0.125 / sqrt(d_model)``, R and C with that divided by sqrt(2), a map with
    ``0.125 / sqrt(inputs)``, the two that write to the stream with
    ``1 / sqrt(2 N)`` of that, and biases as zeros. U starts with standard
    deviation ``1 / sqrt(d_model)``, as in `LanguageModel`. The paper starts it
    as zeros; in trainings as short as ours that held the network at the
    frequencies of the tokens. GELU is computed exactly; the paper has
    ``z sigmoid(1.702 z)``.

    Source: Child et al. (2019), sections 5.2, 5.3 (equation 15) and 6; the
    second number of its normal distributions is read as a standard deviation.
    Chapter 07 derives it.

    Example:
        >>> pattern = SparsePattern(kind="strided", width=4)
        >>> config = SparseTransformerConfig(
        ...     vocabulary=5, length=16, row=4, pattern=pattern
        ... )
        >>> image = torch.zeros(2, 16, dtype=torch.int64)
        >>> SparseTransformer(config)(image).logits.shape
        torch.Size([2, 16, 5])
    """

    def __init__(self, config: SparseTransformerConfig) -> None:
        super().__init__()
        check_config(config, SparseTransformerConfig)
        self.config = config
        vocabulary, d_model = config.vocabulary, config.d_model
        std = SCALE / math.sqrt(d_model)
        self.embedding = nn.Embedding(vocabulary, d_model)
        nn.init.normal_(self.embedding.weight, std=std)
        self.start = nn.Parameter(torch.randn(d_model) * std)
        rows = torch.randn(config.rows, d_model) * std / math.sqrt(2)
        self.row_vectors = nn.Parameter(rows)
        columns = torch.randn(config.row, d_model) * std / math.sqrt(2)
        self.column_vectors = nn.Parameter(columns)
        self.layers = nn.ModuleList(
            SparseTransformerLayer(config, layer)
            for layer in range(config.num_layers)
        )
        self.final_norm = LayerNorm(d_model)
        unembedding = torch.randn(vocabulary, d_model) / d_model**0.5
        self.unembedding = nn.Parameter(unembedding)

    def embed(
        self, tokens: Int64[Tensor, "batch position"]
    ) -> Float[Tensor, "batch position d_model"]:
        """Return the stream that the first layer reads.

        Its position i holds token i - 1.
        """
        length, vocabulary = self.config.length, self.config.vocabulary
        check_token_ids(
            "tokens", tokens, "batch position", vocabulary=vocabulary
        )
        batch, n = tokens.shape
        if n > length:
            wanted = f"at most length={length} positions"
            raise ValueError(f"tokens: expected {wanted}, got {n}")
        start = self.start.expand(batch, 1, -1)
        shifted = torch.cat([start, self.embedding(tokens[:, :-1])], dim=1)
        places = self.row_vectors[:, None] + self.column_vectors
        return shifted + places.flatten(0, 1)[:n]  # [batch, position, d_model]

    @checked
    def forward(
        self,
        tokens: Int64[Tensor, "batch position"],
        *,
        need_states: bool = False,
        need_weights: bool = False,
    ) -> SparseTransformerOutput:
        """Predict each token from those before it.

        ``logits[:, i]`` is for ``tokens[:, i]``.

        Args:
            tokens: whole sequences; the last token is predicted and read by
                nobody.
            need_states: whether to return the stream at each station.
            need_weights: whether to return the weights too, which costs a dense
                product a layer.
        """
        x = self.embed(tokens)  # [batch, position, d_model]
        states, weights = [x] if need_states else [], []
        for layer in cast(Iterable[SparseTransformerLayer], self.layers):
            if need_weights:
                weights.append(layer.weights(x))
            x = (recompute(layer) if self.config.recompute else layer)(x)
            if need_states:
                states.append(x)
        return SparseTransformerOutput(
            linear(self.final_norm(x), self.unembedding),
            tuple(states) if need_states else None,
            tuple(weights) if need_weights else None,
        )
