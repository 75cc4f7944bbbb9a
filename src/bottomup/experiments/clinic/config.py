"""Chapter 11: the task, the network and the training that every patient shares."""

from dataclasses import dataclass

from bottomup.data.sequences import FIRST_SYMBOL
from bottomup.models import TransformerConfig


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        symbols, shortest, longest: of the sequences to be reversed. A batch holds all lengths, so
            that source and target are padded.
        d_model, heads, d_ff, dropout: of a network with one encoder and one decoder layer.
        steps, batch_size, rate, warmup: of every training.
        sentences: number that the readings are taken from.
        beams: number that a beam search is checked on.
        tested: number of test sentences of a pipeline.
        few: number of its training sentences where the test sentences are among them.
    """

    symbols: int = 10
    shortest: int = 2
    longest: int = 8
    d_model: int = 32
    heads: int = 2
    d_ff: int = 64
    dropout: float = 0.05
    steps: int = 900
    batch_size: int = 32
    rate: float = 1e-2
    warmup: int = 60
    sentences: int = 160
    beams: int = 16
    tested: int = 64
    few: int = 96

    @property
    def longest_written(self) -> int:
        """The number of tokens after which decoding stops."""
        return 2 * self.longest

    @property
    def network(self) -> TransformerConfig:
        """The Transformer: pre-norm, sinusoids, one table for all three uses."""
        words = FIRST_SYMBOL + self.symbols
        return TransformerConfig(
            source_vocabulary=words,
            target_vocabulary=words,
            d_model=self.d_model,
            encoder_layers=1,
            decoder_layers=1,
            num_heads=self.heads,
            d_ff=self.d_ff,
            dropout=self.dropout,
            max_length=2 * self.longest + 2,
            shared="all",
        )


PRESETS = {
    "tiny": Config(
        symbols=5,
        longest=5,
        d_model=8,
        d_ff=7,
        steps=6,
        batch_size=5,
        sentences=7,
        beams=1,
        tested=7,
        few=13,
    ),
    "laptop": Config(steps=300),
    "recorded": Config(),
    "full": Config(steps=3_000),
}
