"""Chapter 10: the choices of the experiment on BERT."""

from dataclasses import dataclass, field
from typing import Any

from bottomup.experiments.representation_analysis.config import Config as EncoderConfig
from bottomup.models import LanguageModelConfig


def _encoder(**changes: Any) -> EncoderConfig:
    return EncoderConfig(objectives=("mlm",), starts=1, **changes)


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        encoder: text, sizes and training of the masked language models.
        labelled: labelled sentences from which a probe learns, and a network that goes on.
        tested: sentences on whose words both are tested.
        fine_steps, fine_batch, fine_rate: of the training that goes on.
        twins: sentences that are compared with their twin.
        pair_steps, pair_batch, pair_rate, pair_width, pair_layers: of the networks that judge pairs
            of sentences of Python's documentation.
    """

    encoder: EncoderConfig = field(default_factory=lambda: _encoder(num_layers=4, steps=1_500))
    labelled: tuple[int, ...] = (5, 20, 100)
    tested: int = 500
    fine_steps: int = 200
    fine_batch: int = 16
    fine_rate: float = 5e-4
    twins: int = 1_000
    pair_steps: int = 1_500
    pair_batch: int = 32
    pair_rate: float = 1e-3
    pair_width: int = 64
    pair_layers: int = 2

    def pair_config(self, vocabulary: int, max_length: int) -> LanguageModelConfig:
        """Return the choices of a network that judges pairs."""
        return LanguageModelConfig(
            vocabulary=vocabulary,
            max_length=max_length,
            d_model=self.pair_width,
            num_layers=self.pair_layers,
            num_heads=4,
            d_ff=4 * self.pair_width,
        )


PRESETS = {
    "tiny": Config(
        encoder=_encoder(
            corpus_size=400,
            d_model=8,
            num_layers=1,
            num_heads=2,
            d_ff=16,
            steps=4,
            warmup=2,
            tokens_per_batch=64,
            sentences=20,
        ),
        labelled=(4, 6),
        tested=9,
        fine_steps=2,
        fine_batch=5,
        twins=10,
        pair_steps=2,
        pair_batch=5,
        pair_width=8,
        pair_layers=1,
    ),
    "laptop": Config(),
    "recorded": Config(),
    "full": Config(encoder=_encoder(num_layers=6, steps=6_000), pair_steps=10_000),
}
