"""A decoder of today: each of its parts replaced one of 2017."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn
from torch.nn.functional import linear

from bottomup.attention import (
    GroupedCache,
    GroupedQueryAttention,
    alibi_bias,
    fused_attention,
    sliding_window_mask,
)
from bottomup.blocks import (
    POSITIONS,
    GatedFeedForward,
    RMSNorm,
    rotary_waves,
    rotate_halves,
)
from bottomup.blocks.normalization import EPSILON
from bottomup.blocks.positional_encoding import BASE
from bottomup.checks import (
    check_choice,
    check_config,
    check_divisor,
    check_integer,
    check_number,
    check_token_ids,
    checked,
)
from bottomup.models.published import check_kind, load_named

KINDS = ("rotary", "alibi", "none", *POSITIONS)


@dataclass(frozen=True, kw_only=True)
class DecoderOnlyConfig:
    """The choices that define a `DecoderOnly`.

    Attributes:
        vocabulary: number of token types.
        max_length: number of positions that its tables hold.
        d_model: width of the stream.
        num_layers: number of layers.
        num_heads: heads of the queries; it divides d_model.
        num_groups: heads of keys and values; by default num_heads.
        d_ff: neurons of each gated network; by default ``8 d_model / 3``.
        positions: "rotary", "alibi", "none", "sinusoidal" or "learned".
        base: of the rotary waves.
        window: positions that one may read, itself among them; None for all
            that came before.
        sinks: first positions that stay in reach of a window.
        tied: whether one table serves as embedding and as unembedding.
        epsilon: of every RMSNorm.

    Example:
        >>> DecoderOnlyConfig(vocabulary=11, max_length=8, num_heads=4).groups
        4
    """

    vocabulary: int
    max_length: int
    d_model: int = 64
    num_layers: int = 2
    num_heads: int = 4
    num_groups: int | None = None
    d_ff: int | None = None
    positions: str = "rotary"
    base: float = BASE
    window: int | None = None
    sinks: int = 0
    tied: bool = False
    epsilon: float = EPSILON

    def __post_init__(self) -> None:
        check_integer("vocabulary", self.vocabulary, at_least=1)
        check_integer("max_length", self.max_length, at_least=1)
        check_integer("d_model", self.d_model, at_least=1)
        check_integer("num_layers", self.num_layers, at_least=1)
        check_integer("num_heads", self.num_heads, at_least=1)
        check_divisor("num_heads", self.num_heads, "d_model", self.d_model)
        if self.num_groups is not None:
            check_integer("num_groups", self.num_groups, at_least=1)
        if self.d_ff is not None:
            check_integer("d_ff", self.d_ff, at_least=1)
        check_choice("positions", self.positions, KINDS)
        check_number("base", self.base, above=0, below=math.inf)
        check_number("epsilon", self.epsilon, above=0, below=math.inf)
        check_choice("tied", self.tied, (True, False))
        check_integer("sinks", self.sinks, at_least=0)
        if self.window is not None:
            check_integer("window", self.window, at_least=1)

    @property
    def groups(self) -> int:
        """Heads of keys and values."""
        return self.num_heads if self.num_groups is None else self.num_groups

    @property
    def neurons(self) -> int:
        """Neurons of each gated network."""
        return round(8 * self.d_model / 3) if self.d_ff is None else self.d_ff

    @property
    def numbers_per_token(self) -> int:
        """Numbers that the cache holds for one position, in all layers."""
        d_head = self.d_model // self.num_heads
        return 2 * self.num_layers * self.groups * d_head


class DecoderOnlyLayer(nn.Module):
    """``x <- x + Attention(N(x))``, ``x <- x + GatedFFN(N(x))``.

    N is an RMSNorm of each sublayer's own; no map has a bias.

    Args:
        config: the sizes.

    Source: Touvron et al. (2023). Chapter 10b derives it.

    Example:
        >>> config = DecoderOnlyConfig(vocabulary=11, max_length=8)
        >>> DecoderOnlyLayer(config)(torch.randn(2, 5, 64)).shape
        torch.Size([2, 5, 64])
    """

    def __init__(self, config: DecoderOnlyConfig) -> None:
        super().__init__()
        d_model, epsilon = config.d_model, config.epsilon
        self.attention_norm = RMSNorm(d_model, epsilon=epsilon)
        self.attention = GroupedQueryAttention(
            d_model, config.num_heads, config.groups
        )
        self.feed_forward_norm = RMSNorm(d_model, epsilon=epsilon)
        self.feed_forward = GatedFeedForward(d_model, config.neurons)

    def forward(
        self, x: Float[Tensor, "batch position d_model"], **how: Any
    ) -> Float[Tensor, "batch position d_model"]:
        """Return the stream behind the layer.

        Args:
            x: the stream.
            **how: what `GroupedQueryAttention` is told beside it.
        """
        update, _weights = self.attention(self.attention_norm(x), **how)
        x = x + update
        return x + self.feed_forward(self.feed_forward_norm(x))


class DecoderOnly(nn.Module):
    """Predict each next token, with the parts that replaced those of 2017.

    ``x_0 = E[token]``, ``x_l = layer_l(x_{l-1})``,
    ``logits = U RMSNorm(x_L)``, ``U = E`` if tied

    Positions are told to queries and keys ("rotary"), to the scores ("alibi"),
    to the stream ("sinusoidal", "learned"), or to nobody ("none"). With the
    first it is the architecture of Llama, and with the weights of one it gives
    the same logits (`from_llama`).

    Args:
        config: the choices.

    Source: Touvron et al. (2023). Chapter 10b derives it.

    Example:
        >>> model = DecoderOnly(DecoderOnlyConfig(vocabulary=11, max_length=8))
        >>> model(torch.tensor([[5, 6, 7]])).shape
        torch.Size([1, 3, 11])
    """

    def __init__(self, config: DecoderOnlyConfig) -> None:
        super().__init__()
        check_config(config, DecoderOnlyConfig)
        self.config, d_model = config, config.d_model
        self.embedding = nn.Embedding(config.vocabulary, d_model)
        if config.positions in POSITIONS:
            self.positions = POSITIONS[config.positions](
                max_length=config.max_length, d_model=d_model
            )
        if config.positions == "rotary":
            d_head = d_model // config.num_heads
            cos, sin = rotary_waves(
                config.max_length,
                d_head,
                base=config.base,
                device="cpu",
                dtype=torch.float64,
            )
            # No buffers: float64 exists on the CPU, and not on every device,
            # and no cast is to round them.
            self.cos, self.sin = cos, sin
        self.layers = nn.ModuleList(
            DecoderOnlyLayer(config) for _ in range(config.num_layers)
        )
        self.final_norm = RMSNorm(d_model, epsilon=config.epsilon)
        self.unembedding: nn.Linear | None = None
        table = self.embedding.weight
        if not config.tied:
            self.unembedding = nn.Linear(d_model, config.vocabulary, bias=False)
            table = self.unembedding.weight
        nn.init.normal_(table, std=d_model**-0.5)

    @checked
    def forward(
        self, tokens: Int64[Tensor, "batch position"]
    ) -> Float[Tensor, "batch position vocabulary"]:
        """Return the logits of the token that follows each position.

        Args:
            tokens: token numbers, from position 0.
        """
        return self._logits(tokens, first=0, caches=[None] * len(self.layers))

    def start(self, batch: int, max_length: int) -> list[GroupedCache]:
        """Return an empty cache for each layer.

        It keeps every position, also those that a window has passed.

        Args:
            batch: number of sequences.
            max_length: most positions that will be read and written.
        """
        sizes = {"batch": batch, "max_length": max_length}
        attentions = [
            cast(DecoderOnlyLayer, each).attention for each in self.layers
        ]
        return [GroupedCache(each, **sizes) for each in attentions]

    @checked
    @torch.no_grad()
    def step(
        self, tokens: Int64[Tensor, "batch new"], caches: Sequence[GroupedCache]
    ) -> Float[Tensor, "batch new vocabulary"]:
        """Return the logits behind new tokens, which the caches then hold.

        Args:
            tokens: those that follow what the caches hold; a prompt, or one.
            caches: from `start`, or as an earlier step left them.
        """
        self._check_caches(tokens, caches)
        return self._logits(tokens, first=caches[0].length, caches=caches)

    def _check_caches(
        self, tokens: Tensor, caches: Sequence[GroupedCache]
    ) -> None:
        """Check what the layers have to agree on before the first writes."""
        if not isinstance(caches, list | tuple) or not all(
            isinstance(cache, GroupedCache) for cache in caches
        ):
            wanted = "a list of GroupedCache, as `start` makes it"
            raise TypeError(f"caches: expected {wanted}, got {caches!r}")
        count, layers = len({*map(id, caches)}), len(self.layers)
        if (count, len(caches)) != (layers, layers):
            wanted = f"one of its own for each of {layers} layers"
            raise ValueError(f"caches: expected {wanted}, got {count}")
        sizes = [(cache.batch, cache.length) for cache in caches]
        if len({*sizes}) > 1:
            wanted = "one batch and one length in all layers"
            raise ValueError(f"caches: expected {wanted}, got {sizes}")
        if len(tokens) != caches[0].batch:
            raise ValueError(
                f"tokens: expected batch={caches[0].batch} as in caches, "
                f"got {len(tokens)}"
            )

    def _logits(
        self,
        tokens: Tensor,
        first: int,
        caches: Sequence[GroupedCache | None],
    ) -> Tensor:
        """Read tokens that stand at `first` and behind it."""
        config, end = self.config, first + tokens.shape[1]
        check_token_ids(
            "tokens", tokens, "batch position", vocabulary=config.vocabulary
        )
        if end > config.max_length:
            raise ValueError(
                f"tokens: expected positions below "
                f"max_length={config.max_length}, got {end - 1}"
            )
        x = self.embedding(tokens)  # [batch, position, d_model]
        if config.positions in POSITIONS:
            x = self.positions(x, first=first)
        how = self._told(x, first, end)
        for layer, cache in zip(self.layers, caches, strict=True):
            x = layer(x, cache=cache, **how)
        U = self.unembedding or self.embedding
        return linear(self.final_norm(x), U.weight)

    def _told(self, x: Tensor, first: int, end: int) -> dict[str, Any]:
        """Say how all layers read: which positions, and where they stand."""
        config = self.config
        how: dict[str, Any] = {"attend": fused_attention}
        one = end - first == 1 and config.window is None
        if not one:  # a single newest position may read everything
            how["mask"] = sliding_window_mask(
                end,
                config.window,
                sinks=config.sinks,
                first=first,
                device=x.device,
            )
        if config.positions == "rotary":
            rows = slice(first, end)
            cos, sin = self.cos[rows].to(x), self.sin[rows].to(x)
            how["turn"] = partial(rotate_halves, cos=cos, sin=sin)
        elif config.positions == "alibi":
            how["bias"] = alibi_bias(config.num_heads, end, first=first).to(x)
        return how


def from_llama(
    weights: dict[str, Tensor], config: DecoderOnlyConfig
) -> DecoderOnly:
    """Return the decoder with the weights of a Llama of Hugging Face's library.

    Every weight finds its place and every place its weight, or a `ValueError`
    names those that do not. A tied model may name its table twice.

    Args:
        weights: its ``state_dict()``; a map's is ``[out, in]``. The model gets
            a dtype that holds all of theirs.
        config: its sizes, base and epsilon in our names; positions "rotary".

    Source: the names in transformers' ``modeling_llama.py``. Chapter 10b uses
    it.
    """
    check_kind("weights", weights, Mapping)
    check_kind("config", config, DecoderOnlyConfig)
    _check_rotary("config", config)
    model = DecoderOnly(config)
    if config.tied:
        weights = _with_one_table(weights)
    load_named(model, weights, _theirs)
    return model


def llama_weights(model: DecoderOnly) -> dict[str, Tensor]:
    """Return the decoder's weights, a map's ``[out, in]``, by Llama's names.

    Args:
        model: with rotary positions, for a Llama of the same sizes.

    Chapter 10b uses the other direction.
    """
    if not isinstance(model, DecoderOnly):
        raise TypeError(
            f"model: expected a DecoderOnly, got {type(model).__name__}"
        )
    _check_rotary("model", model.config)
    return {_theirs(name): x for name, x in model.state_dict().items()}


def _check_rotary(name: str, config: DecoderOnlyConfig) -> None:
    if config.positions != "rotary":
        raise ValueError(
            f"{name}: expected positions='rotary', got {config.positions!r}"
        )


def _with_one_table(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Leave out the unembedding of a tied model: it is the embedding."""
    table, head = weights.get(TABLE), weights.get(HEAD)
    if table is None or head is None:
        return weights
    alike = (table.shape, table.dtype) == (head.shape, head.dtype)
    if not alike or not torch.equal(table, head):
        raise ValueError(
            f"weights: expected {HEAD} equal to {TABLE} in a tied model, "
            "got another"
        )
    return {name: x for name, x in weights.items() if name != HEAD}


def _theirs(name: str) -> str:
    """Return Llama's name of a parameter of ours."""
    for ours, theirs in NAMES.items():
        name = name.replace(ours, theirs)
    return name


TABLE, HEAD = "model.embed_tokens.weight", "lm_head.weight"
NAMES = {  # in this order: "unembedding." holds "embedding."
    "final_norm.gain": "model.norm.weight",
    "unembedding.": "lm_head.",
    "embedding.": "model.embed_tokens.",
    "layers.": "model.layers.",
    "attention_norm.gain": "input_layernorm.weight",
    "feed_forward_norm.gain": "post_attention_layernorm.weight",
    "attention.W_Q": "self_attn.q_proj",
    "attention.W_K": "self_attn.k_proj",
    "attention.W_V": "self_attn.v_proj",
    "attention.W_O": "self_attn.o_proj",
    "feed_forward.W_gate": "mlp.gate_proj",
    "feed_forward.W_in": "mlp.up_proj",
    "feed_forward.W_out": "mlp.down_proj",
}
