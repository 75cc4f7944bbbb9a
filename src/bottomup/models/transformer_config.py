"""The choices that define a Transformer, and the sizes that go by a name."""

import math
from dataclasses import dataclass
from typing import Any

from bottomup.blocks import POSITIONS, RESIDUALS
from bottomup.blocks.feed_forward import ACTIVATIONS
from bottomup.blocks.normalization import EPSILON
from bottomup.checks import (
    check_choice,
    check_divisor,
    check_integer,
    check_number,
)

PAPER = {"norm": "post", "shared": "all"}
BASE = {"d_model": 512, "num_heads": 8, "d_ff": 2048, "dropout": 0.1}
BIG = {"d_model": 1024, "num_heads": 16, "d_ff": 4096, "dropout": 0.3}
ONE_LAYER = {"encoder_layers": 1, "decoder_layers": 1}
PRESETS: dict[str, dict[str, Any]] = {
    "base": PAPER | BASE,
    "big": PAPER | BIG,
    "laptop": {"encoder_layers": 3, "decoder_layers": 3},
    "tiny": ONE_LAYER | {"d_model": 16, "num_heads": 2, "d_ff": 32},
}


@dataclass(frozen=True, kw_only=True)
class TransformerConfig:
    """The choices that define a `Transformer`.

    Attributes:
        source_vocabulary, target_vocabulary: numbers of token types, the
            special ones included.
        d_model: width of the stream.
        encoder_layers, decoder_layers: numbers of layers; N of the paper for
            both.
        num_heads: heads of every attention; it divides d_model.
        d_ff: neurons of each layer's feed-forward network.
        norm: "pre" or "post": where LayerNorm stands.
        activation: "relu", "gelu" or "gelu_tanh", as in `FeedForward`.
        dropout: probability in [0, 1) during training, in the layers and after
            the embeddings.
        positions: "sinusoidal", or "learned" with a table for each side;
            sinusoids need an even d_model.
        max_length: most positions of a source or a target, the special tokens
            included.
        shared: "target" (one table embeds target tokens and gives their
            logits), "all" (the source uses it, too; both sides then have one
            vocabulary) or "none" (three tables).
        share_layers: whether all layers of a side are one object, with the
            parameters of one layer.
        final_norm: whether a LayerNorm follows the last layer of each side;
            None: with ``norm="pre"`` alone, as in the papers.
            ``nn.Transformer`` always appends one.
        epsilon: of every LayerNorm.

    Example:
        >>> sizes = {"source_vocabulary": 11, "target_vocabulary": 13}
        >>> TransformerConfig(**sizes, norm="post").ends_in_norm
        False
        >>> TransformerConfig.preset("laptop", **sizes).encoder_layers
        3
    """

    source_vocabulary: int
    target_vocabulary: int
    d_model: int = 64
    encoder_layers: int = 6
    decoder_layers: int = 6
    num_heads: int = 4
    d_ff: int = 256
    norm: str = "pre"
    activation: str = "relu"
    dropout: int | float = 0.0
    positions: str = "sinusoidal"
    max_length: int = 256
    shared: str = "target"
    share_layers: bool = False
    final_norm: bool | None = None
    epsilon: int | float = EPSILON

    def __post_init__(self) -> None:
        for name in ("source", "target"):
            vocabulary = f"{name}_vocabulary"
            check_integer(vocabulary, getattr(self, vocabulary), at_least=1)
        for name in ("encoder_layers", "decoder_layers"):
            check_integer(name, getattr(self, name), at_least=1)
        check_stream(self)
        check_choice("shared", self.shared, ("none", "target", "all"))
        check_choice("share_layers", self.share_layers, (True, False))
        check_choice("final_norm", self.final_norm, (True, False, None))
        words = self.source_vocabulary, self.target_vocabulary
        if self.shared == "all" and words[0] != words[1]:
            raise ValueError(
                "shared: expected 'none' or 'target' where the vocabularies "
                f"differ, got 'all' with source_vocabulary={words[0]}, "
                f"target_vocabulary={words[1]}"
            )

    @property
    def ends_in_norm(self) -> bool:
        """Whether a LayerNorm follows the last layers, with None resolved."""
        if self.final_norm is None:
            return self.norm == "pre"
        return self.final_norm

    @classmethod
    def preset(
        cls,
        name: str,
        *,
        source_vocabulary: int,
        target_vocabulary: int,
        **changes: Any,
    ) -> "TransformerConfig":
        """Return the sizes that go by a name.

        "base" and "big" are the paper's models: one vocabulary for both
        languages and one table for all three uses. "big" has the dropout of
        English to German. "laptop" and "tiny" are this book's: pre-norm, and a
        vocabulary for each language.

        Args:
            name: "base", "big", "laptop" or "tiny".
            source_vocabulary, target_vocabulary: numbers of token types.
            **changes: what is to differ from the preset.

        Source: Vaswani et al. (2017), sections 3, 3.4 and 5.4, and table 3.
        Chapter 05 uses it.
        """
        check_choice("name", name, PRESETS)
        sizes = {
            "source_vocabulary": source_vocabulary,
            "target_vocabulary": target_vocabulary,
        }
        return cls(**{**PRESETS[name], **sizes, **changes})


def check_stream(config: Any) -> None:
    """Check the choices that every model makes whose layers share a stream."""
    for name in ("d_model", "num_heads", "d_ff", "max_length"):
        check_integer(name, getattr(config, name), at_least=1)
    check_divisor("num_heads", config.num_heads, "d_model", config.d_model)
    check_choice("norm", config.norm, RESIDUALS)
    check_choice("activation", config.activation, ACTIVATIONS)
    check_number("dropout", config.dropout, at_least=0, below=1)
    check_number("epsilon", config.epsilon, above=0, below=math.inf)
    check_choice("positions", config.positions, POSITIONS)
    if config.positions == "sinusoidal" and config.d_model % 2:
        wanted = "an even width with sinusoidal positions"
        raise ValueError(f"d_model: expected {wanted}, got {config.d_model}")
