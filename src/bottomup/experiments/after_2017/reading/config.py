"""Chapter 10: the choices of the experiment on BERT."""

from dataclasses import dataclass, field
from typing import Any

from bottomup.experiments.representation_analysis.config import Config as EncoderConfig


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
    """

    encoder: EncoderConfig = field(
        default_factory=lambda: _encoder(
            corpus_size=10_000,
            num_layers=2,
            steps=700,
            tokens_per_batch=512,
            sentences=1_000,
        )
    )
    labelled: tuple[int, int] = (5, 20)
    tested: int = 500
    fine_steps: int = 150
    fine_batch: int = 16
    fine_rate: float = 5e-4
    twins: int = 200


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
    ),
    "laptop": Config(encoder=_encoder(corpus_size=10_000, num_layers=2, steps=200, warmup=50)),
    "recorded": Config(),
    "full": Config(encoder=_encoder(num_layers=6, steps=6_000)),
}
