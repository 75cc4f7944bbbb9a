"""Networks of attention and nothing else, between embedding and readout."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from bottomup.attention import MultiHeadAttention, SelfAttention
from bottomup.blocks import sinusoidal_positions
from bottomup.checks import (
    check_choice,
    check_config,
    check_divisor,
    check_integer,
    check_mask,
    check_switch,
    check_token_ids,
    checked,
)

POSITIONS = ("none", "sinusoidal", "in_scores")


class AttentionOnlyOutput(NamedTuple):
    """Logits, what the readout read, and the weights of each layer.

    Weights have the axes ``[batch, query, key]``, with heads
    ``[batch, head, query, key]``.
    """

    logits: Float[Tensor, "batch position outputs"]
    states: Float[Tensor, "batch position d_model"]
    weights: tuple[Float[Tensor, "batch *head query key"], ...]


@dataclass(frozen=True, kw_only=True)
class AttentionOnlyConfig:
    """The choices that define an `AttentionOnly`.

    Attributes:
        vocabulary: number of token types.
        outputs: number of classes predicted at each position.
        d_model: width of a position; even where there are positions.
        num_layers: number of attention layers.
        num_heads: heads of each layer, a `MultiHeadAttention` with its map W_O,
            also for one head; None for layers of `SelfAttention`, which has
            neither heads nor W_O.
        positions: "sinusoidal"; "none" for a network that is told no order;
            "in_scores" for sinusoids that each layer adds to what its queries
            and keys read, and not to the stream, so that values carry tokens
            alone. That takes heads.
        causal: whether a position reads only itself and what stands before it.

    Example:
        >>> AttentionOnlyConfig(vocabulary=11, outputs=3).num_layers
        1
    """

    vocabulary: int
    outputs: int
    d_model: int = 64
    num_layers: int = 1
    num_heads: int | None = None
    positions: str = "sinusoidal"
    causal: bool = False

    def __post_init__(self) -> None:
        check_integer("vocabulary", self.vocabulary, at_least=1)
        check_integer("outputs", self.outputs, at_least=1)
        check_integer("d_model", self.d_model, at_least=1)
        check_integer("num_layers", self.num_layers, at_least=0)
        if self.num_heads is not None:
            check_integer("num_heads", self.num_heads, at_least=1)
            check_divisor("num_heads", self.num_heads, "d_model", self.d_model)
        check_choice("positions", self.positions, POSITIONS)
        check_switch("causal", self.causal)
        if self.positions != "none" and self.d_model % 2:
            wanted = "an even width for sinusoidal positions"
            raise ValueError(f"d_model: expected {wanted}, got {self.d_model}")
        if self.positions == "in_scores" and self.num_heads is None:
            wanted = "a number of heads with positions='in_scores'"
            raise ValueError(f"num_heads: expected {wanted}, got None")


class AttentionOnly(nn.Module):
    """Layers of self-attention, each added to what it reads.

    ``x = E[token] + P[position]``; ``x <- x + SelfAttention(x)`` in each layer;
    ``logits = W x + b``; with ``positions="in_scores"`` ``x = E[token]`` and
    ``x <- x + Attention(x + P, x + P, x)``, of query, key and value

    There is no MLP and no normalisation, so that what the network can do,
    attention does.

    Chapter 02 trains it without heads, to find antecedents and to tell
    positions; chapter 03 gives it heads; chapter 09 takes it apart.

    Example:
        >>> config = AttentionOnlyConfig(vocabulary=11, outputs=3, num_heads=2)
        >>> AttentionOnly(config)(torch.tensor([[5, 6, 7]])).logits.shape
        torch.Size([1, 3, 3])
    """

    def __init__(self, config: AttentionOnlyConfig) -> None:
        super().__init__()
        check_config(config, AttentionOnlyConfig)
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary, config.d_model)
        self.layers = nn.ModuleList(
            _layer(config) for _ in range(config.num_layers)
        )
        self.readout = nn.Linear(config.d_model, config.outputs)

    @checked
    def forward(
        self,
        tokens: Int64[Tensor, "batch position"],
        mask: Bool[Tensor, "..."] | None = None,
        *,
        head_mask: Bool[Tensor, "..."] | None = None,
    ) -> AttentionOnlyOutput:
        """Predict a class at each position.

        Args:
            tokens: token numbers.
            mask: True = may attend; broadcasts to ``[batch, query, key]``.
            head_mask: True = the head is on; broadcasts to ``[layer, head]``.
                Only for a network with heads.
        """
        x, weights = self.embed(tokens), []
        causal, switches = self.config.causal, self._switches(head_mask)
        for layer, on in zip(self.layers, switches, strict=True):
            if isinstance(layer, SelfAttention):
                read, layer_weights = layer(x, mask, causal=causal)
            else:
                asked = self.in_scores(x)
                read, layer_weights = layer(
                    asked, asked, x, mask, causal=causal, head_mask=on
                )
            x = x + read  # [batch, position, d_model]
            weights.append(layer_weights)
        return AttentionOnlyOutput(self.readout(x), x, tuple(weights))

    def embed(
        self, tokens: Int64[Tensor, "batch position"]
    ) -> Float[Tensor, "batch position d_model"]:
        """Return the stream at its start: token, and position where added."""
        words, d_model = self.config.vocabulary, self.config.d_model
        check_token_ids("tokens", tokens, "batch position", vocabulary=words)
        x = self.embedding(tokens)  # [batch, position, d_model]
        if self.config.positions != "sinusoidal":
            return x
        return x + sinusoidal_positions(
            tokens.shape[1], d_model, device=x.device, dtype=x.dtype
        )

    def in_scores(
        self, x: Float[Tensor, "batch position d_model"]
    ) -> Float[Tensor, "batch position d_model"]:
        """Return what queries and keys read: x, or x + P with "in_scores"."""
        if self.config.positions != "in_scores":
            return x
        n, d_model = x.shape[1:]
        return x + sinusoidal_positions(
            n, d_model, device=x.device, dtype=x.dtype
        )

    def _switches(self, head_mask: Tensor | None) -> Sequence[Tensor | None]:
        """Return for each layer which of its heads are on."""
        layers, heads = self.config.num_layers, self.config.num_heads
        if head_mask is None:
            return [None] * layers
        if heads is None:
            wanted = "None for a network without heads"
            raise ValueError(f"head_mask: expected {wanted}, got a mask")
        check_mask("head_mask", head_mask, (layers, heads))
        return head_mask.expand(layers, heads).unbind()


def _layer(config: AttentionOnlyConfig) -> SelfAttention | MultiHeadAttention:
    if config.num_heads is None:
        return SelfAttention(config.d_model)
    return MultiHeadAttention(config.d_model, config.num_heads)
