"""Transformer-XL: a causal language model that remembers the text before."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn
from torch.nn.functional import linear

from bottomup.attention import MultiHeadAttention, RelativeAttention
from bottomup.blocks import FeedForward, LayerNorm, sinusoidal_positions
from bottomup.checks import (
    check_choice,
    check_config,
    check_divisor,
    check_integer,
    check_tensor,
    check_token_ids,
    checked,
    may_meet,
    shown,
)
from bottomup.masks import causal_mask

Memory = Sequence[Tensor]  # for each layer [batch, remembered, d_model]


class TransformerXLOutput(NamedTuple):
    """Logits, what each layer read, and the weights of each layer.

    `states` holds the stream of the segment as each layer found it: what
    `next_memory` keeps. Keys are the memory, and the segment behind it.
    """

    logits: Float[Tensor, "batch position vocabulary"]
    states: tuple[Float[Tensor, "batch position d_model"], ...]
    weights: tuple[Float[Tensor, "batch head position key"], ...]


@dataclass(frozen=True, kw_only=True)
class TransformerXLConfig:
    """The choices that define a `TransformerXL`.

    Attributes:
        vocabulary: number of token types.
        d_model: width of the stream, even.
        num_layers: number of layers.
        num_heads: heads of each layer; it divides d_model.
        d_ff: neurons of each layer's feed-forward network.
        positions: "relative", or "restarted" for sinusoids that are added to
            the embeddings and begin anew with each segment: what does not work.

    Example:
        >>> TransformerXLConfig(vocabulary=11).positions
        'relative'
    """

    vocabulary: int
    d_model: int = 64
    num_layers: int = 2
    num_heads: int = 4
    d_ff: int = 256
    positions: str = "relative"

    def __post_init__(self) -> None:
        sizes = ("vocabulary", "d_model", "num_layers", "num_heads", "d_ff")
        for name in sizes:
            check_integer(name, getattr(self, name), at_least=1)
        check_divisor("num_heads", self.num_heads, "d_model", self.d_model)
        if self.d_model % 2:
            wanted = "an even width for sinusoids"
            raise ValueError(f"d_model: expected {wanted}, got {self.d_model}")
        check_choice("positions", self.positions, ("relative", "restarted"))


def next_memory(
    memory: Memory | None, states: Memory, *, length: int
) -> tuple[Tensor, ...]:
    """Return what the next segment may read: the newest states, no gradient.

    ``m <- SG([m, h])[-length:]``, for each layer, where h is what the layer
    read in this segment

    Args:
        memory: what this segment could read; None where there was none.
        states: of this segment, `TransformerXLOutput.states`.
        length: how many positions to keep, M.

    Source: Dai et al. (2019), section 3.2, the last paragraph. Chapter 10
    derives it.

    Example:
        >>> states = (torch.tensor([[[1.0], [2.0], [3.0]]]),)  # of one layer
        >>> next_memory(None, states, length=2)[0].flatten()
        tensor([2., 3.])
    """
    check_integer("length", length, at_least=0)
    if memory is not None:
        _check_memory(memory, states[0], len(states))
    older = [h[:, :0] for h in states] if memory is None else memory
    kept = []
    for m, h in zip(older, states, strict=True):
        joined = torch.cat([m, h], dim=1)  # [batch, position, d_model]
        first = max(0, joined.shape[1] - length)
        kept.append(joined[:, first:].detach())
    return tuple(kept)


def _check_memory(memory: object, x: Tensor, layers: int) -> None:
    """Check that each layer has states to put in front of its stream x."""
    if not isinstance(memory, Sequence) or isinstance(memory, str):
        wanted = "None or states, a tensor for each layer"
        raise TypeError(f"memory: expected {wanted}, got {shown(memory)}")
    if len(memory) != layers:
        wanted = f"states for each of {layers} layers"
        raise ValueError(f"memory: expected {wanted}, got {len(memory)}")
    for m in memory:
        check_tensor("memory", m, floating=True)
    shapes = [tuple(m.shape) for m in memory]
    batch, _, d_model = x.shape
    remembered = shapes[0][1:2]
    if any(shape != (batch, *remembered, d_model) for shape in shapes):
        wanted = f"[batch={batch}, remembered, d_model={d_model}] in each layer"
        raise ValueError(f"memory: expected {wanted}, got {shapes}")
    for m in memory:
        if m.device != x.device:
            wanted = f"the device {x.device} of the segment"
            raise ValueError(f"memory: expected {wanted}, got {m.device}")
        if not may_meet(m.dtype, x.dtype, x.device):
            wanted = f"the dtype {x.dtype} of the segment"
            raise TypeError(f"memory: expected {wanted}, got {m.dtype}")


class TransformerXLLayer(nn.Module):
    """Attention to memory and segment, then the feed-forward network.

    ``y = N([m, x])``, ``x <- x + Attention(y's end, y)``,
    ``x <- x + FFN(N(x))``

    Source: Dai et al. (2019), sections 3.2 and 3.3, whose LayerNorm stands
    behind the sums. Chapter 10 derives it.
    """

    def __init__(self, config: TransformerXLConfig) -> None:
        super().__init__()
        d_model, heads = config.d_model, config.num_heads
        self.attention: RelativeAttention | MultiHeadAttention = (
            RelativeAttention(d_model, heads)
            if config.positions == "relative"
            else MultiHeadAttention(d_model, heads, bias=False)
        )
        self.norm = LayerNorm(d_model)
        self.feed_forward_norm = LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, config.d_ff)

    def forward(
        self, x: Tensor, memory: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """Return the stream after the layer, and the weights."""
        extended = x if memory is None else torch.cat([memory, x], dim=1)
        n, m = x.shape[1], extended.shape[1]
        y = self.norm(extended)  # [batch, key, d_model]
        mask = causal_mask(m, device=x.device)[m - n :]  # [query, key]
        if isinstance(self.attention, RelativeAttention):
            R = sinusoidal_positions(
                m, x.shape[-1], device=x.device, dtype=x.dtype
            ).flip(0)  # from distance m - 1 down to 0
            read, weights = self.attention(y[:, m - n :], y, R, mask)
        else:
            read, weights = self.attention(y[:, m - n :], y, y, mask)
        x = x + read
        return x + self.feed_forward(self.feed_forward_norm(x)), weights


class TransformerXL(nn.Module):
    """Predict each next token from the segment so far and from a memory.

    ``h_0 = sqrt(d_model) E[token]``, ``h_l = layer_l(h_{l-1}, m_{l-1})``,
    ``logits = E LayerNorm(h_N)``

    The memory ``m_l`` holds what stood in ``h_l`` before this segment. With a
    memory of all that came before, segments one after the other give the same
    logits as one pass over the whole text.

    Source: Dai et al. (2019), section 3. Chapter 10 derives it.

    Example:
        >>> model = TransformerXL(TransformerXLConfig(vocabulary=11, d_model=8))
        >>> output = model(torch.tensor([[5, 6, 7]]))
        >>> memory = next_memory(None, output.states, length=2)
        >>> model(torch.tensor([[8, 9]]), memory).logits.shape
        torch.Size([1, 2, 11])
    """

    def __init__(self, config: TransformerXLConfig) -> None:
        super().__init__()
        check_config(config, TransformerXLConfig)
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary, config.d_model)
        nn.init.normal_(self.embedding.weight, std=config.d_model**-0.5)
        self.layers = nn.ModuleList(
            TransformerXLLayer(config) for _ in range(config.num_layers)
        )
        self.final_norm = LayerNorm(config.d_model)

    @checked
    def forward(
        self,
        tokens: Int64[Tensor, "batch position"],
        memory: Memory | None = None,
    ) -> TransformerXLOutput:
        """Predict the next token at each position of a segment.

        Args:
            tokens: the segment.
            memory: for each layer what came before, from `next_memory`.
        """
        words, n = self.config.vocabulary, tokens.shape[1]
        check_token_ids("tokens", tokens, "batch position", vocabulary=words)
        layers = self.config.num_layers
        x = math.sqrt(self.config.d_model) * self.embedding(tokens)
        if memory is not None:
            _check_memory(memory, x, layers)
        remembered = [None] * layers if memory is None else memory
        if self.config.positions == "restarted":
            x = x + sinusoidal_positions(
                n, x.shape[-1], device=x.device, dtype=x.dtype
            )
        states, weights = [], []
        for layer, before in zip(self.layers, remembered, strict=True):
            states.append(x)  # [batch, position, d_model]
            x, read = layer(x, before)
            weights.append(read)
        logits = linear(self.final_norm(x), self.embedding.weight)
        return TransformerXLOutput(logits, tuple(states), tuple(weights))


def in_segments(
    model: nn.Module,
    tokens: Int64[Tensor, "batch position"],
    *,
    segment: int,
    memory: int,
) -> Float[Tensor, "batch position vocabulary"]:
    """Predict the next token at each position of a long text, piece by piece.

    ``logits_t, states_t = model(s_t, m_t)``,
    ``m_(t+1) = next_memory(m_t, states_t)``, for each segment ``s_t``

    Gradients stay within a segment.

    Args:
        model: a `TransformerXL`, called once for each segment.
        tokens: the text; its last segment may be shorter.
        segment: positions in a segment, L.
        memory: positions remembered, M; 0 for none.

    Source: Dai et al. (2019), section 3.2. Chapter 10 derives it.

    Example:
        >>> model = TransformerXL(TransformerXLConfig(vocabulary=11, d_model=8))
        >>> text = torch.randint(11, (2, 7))
        >>> in_segments(model, text, segment=3, memory=6).shape
        torch.Size([2, 7, 11])
    """
    check_integer("segment", segment, at_least=1)
    pieces, remembered = [], None
    for piece in tokens.split(segment, dim=1):
        output = model(piece, remembered)
        remembered = next_memory(remembered, output.states, length=memory)
        pieces.append(output.logits)
    return torch.cat(pieces, dim=1)


def longest_reach(*, layers: int, segment: int, memory: int) -> int:
    """Return how many positions back the end of a segment can know of.

    ``reach = (N - 1) ceil(M / L) L + M + L - 1``

    In its own segment it reads ``L - 1`` positions back, and the last layer M
    more. What it finds there was computed in a segment that began at most
    ``ceil(M / L) L`` earlier, and had a memory of its own in the layer below.
    Where M is a multiple of L this is ``N M + L - 1``.

    Args:
        layers: number of layers, N.
        segment: positions in a segment, L.
        memory: positions remembered, M.

    Source: Dai et al. (2019), section 3.2, has the order, ``O(N L)``, with
    M = L. Chapter 10 derives it.
    """
    check_integer("layers", layers, at_least=1)
    check_integer("segment", segment, at_least=1)
    check_integer("memory", memory, at_least=0)
    layers, segment, memory = int(layers), int(segment), int(memory)
    back = -(-memory // segment) * segment  # to where the oldest was computed
    return (layers - 1) * back + memory + segment - 1
