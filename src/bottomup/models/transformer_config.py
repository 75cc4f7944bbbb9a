"""The choices that define a Transformer, and the sizes that go by a name."""

from dataclasses import dataclass
from typing import Any

from bottomup.blocks import POSITIONS, RESIDUALS
from bottomup.blocks.feed_forward import ACTIVATIONS
from bottomup.checks import (
    check_choice,
    check_divisor,
    check_integer,
    check_number,
)

SHARED = ("none", "target", "all")

PAPER = {"norm": "post", "shared": "all", "dropout": 0.1}
PRESETS: dict[str, dict[str, Any]] = {
    "base": {**PAPER, "d_model": 512, "num_heads": 8, "d_ff": 2048},
    "big": {
        **PAPER,
        "d_model": 1024,
        "num_heads": 16,
        "d_ff": 4096,
        "dropout": 0.3,
    },
    "laptop": {"encoder_layers": 3, "decoder_layers": 3},
    "tiny": {
        "d_model": 16,
        "encoder_layers": 1,
        "decoder_layers": 1,
        "num_heads": 2,
        "d_ff": 32,
    },
}


@dataclass(frozen=True, kw_only=True)
class TransformerConfig:
    """The choices that define a `Transformer`.

    Attributes:
        source_vocabulary, target_vocabulary: numbers of token types, the special ones included.
        d_model: width of the stream.
        encoder_layers, decoder_layers: numbers of layers; N of the paper for both.
        num_heads: heads of every attention; it divides d_model.
        d_ff: neurons of each layer's feed-forward network.
        norm: "pre" or "post": where LayerNorm stands.
        activation: "relu" or "gelu".
        dropout: probability in [0, 1) during training, in the layers and after the embeddings.
        positions: "sinusoidal", or "learned" with a table for each side; sinusoids need an even
            d_model.
        max_length: most positions of a source or a target, the special tokens included.
        shared: "target" (one table embeds target tokens and gives their logits), "all" (the source
            uses it, too; both sides then have one vocabulary) or "none" (three tables).
        share_layers: whether all layers of a side are one object, with the parameters of one layer.
        final_norm: whether a LayerNorm follows the last layer of each side; None: with
            ``norm="pre"`` alone, as in the papers. ``nn.Transformer`` always appends one.
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

    def __post_init__(self) -> None:
        sizes = (
            *(
                "source_vocabulary",
                "target_vocabulary",
                "d_model",
                "encoder_layers",
            ),
            *("decoder_layers", "num_heads", "d_ff", "max_length"),
        )
        for name in sizes:
            check_integer(name, getattr(self, name), at_least=1)
        check_choice("norm", self.norm, RESIDUALS)
        check_choice("activation", self.activation, ACTIVATIONS)
        check_number("dropout", self.dropout, at_least=0, below=1)
        check_choice("positions", self.positions, POSITIONS)
        check_choice("shared", self.shared, SHARED)
        check_choice("share_layers", self.share_layers, (True, False))
        check_choice("final_norm", self.final_norm, (True, False, None))
        self._check_together()

    def _check_together(self) -> None:
        """Refuse values that do not go with each other."""
        check_divisor("num_heads", self.num_heads, "d_model", self.d_model)
        if self.positions == "sinusoidal" and self.d_model % 2:
            raise ValueError(
                f"d_model: expected an even width with sinusoidal positions, got {self.d_model}"
            )
        if (
            self.shared == "all"
            and self.source_vocabulary != self.target_vocabulary
        ):
            raise ValueError(
                "shared: expected 'none' or 'target' where the vocabularies differ, got 'all' with "
                f"source_vocabulary={self.source_vocabulary}, "
                f"target_vocabulary={self.target_vocabulary}"
            )

    @property
    def ends_in_norm(self) -> bool:
        """Whether a LayerNorm follows the last layer of each side, with None resolved."""
        return (
            self.norm == "pre" if self.final_norm is None else self.final_norm
        )

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

        "base" and "big" are the paper's models: one vocabulary for both languages and one table
        for all three uses. "big" has the dropout of English to German. "laptop" and "tiny" are
        this book's: pre-norm, and a vocabulary for each language.

        Args:
            name: "base", "big", "laptop" or "tiny".
            source_vocabulary, target_vocabulary: numbers of token types.
            **changes: what is to differ from the preset.

        Source: Vaswani et al. (2017), sections 3, 3.4 and 5.4, and table 3. Chapter 05 uses it.
        """
        check_choice("name", name, PRESETS)
        sizes = {
            "source_vocabulary": source_vocabulary,
            "target_vocabulary": target_vocabulary,
        }
        return cls(**{**PRESETS[name], **sizes, **changes})
