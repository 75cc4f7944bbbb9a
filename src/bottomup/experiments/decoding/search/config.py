"""Chapter 06: the choices of the experiment on decoding the mini-language."""

from collections.abc import Sequence
from dataclasses import dataclass

PREFIX = "translator_"
NO_PENALTY = "0"


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        steps: training steps of the translators, in ascending order; the first is undertrained.
        beams: widths of the beam, in ascending order, from 1.
        alphas: length penalties, as text without a full stop, which names in a record cannot have:
            ``6e-1``.
        kept: steps of the translator whose parameters the record keeps, under the first seed.
        sentences: test sentences that are translated, the first of the corpus's test part.
        samples: translations drawn for each of them.
        corpus_size, corpus_seed: of the mini-language.
        learning_rate, warmup, tokens_per_batch: of every training, chapter 05's.
        d_model, layers, num_heads, d_ff: of the Transformer; `layers` on each side.
        lengths: numbers of tokens at which the cost of writing is read, in ascending order.
        cost_source: source tokens there.
        small_models: random models for the exact comparisons.
    """

    steps: tuple[int, ...] = (100, 150, 600)
    beams: tuple[int, ...] = (1, 2, 3, 5, 10, 20, 50)
    kept: int = 150
    alphas: tuple[str, ...] = ("0", "6e-1", "1")
    sentences: int = 200
    samples: int = 5
    corpus_size: int = 60_000
    corpus_seed: int = 0
    learning_rate: float = 12e-3
    warmup: int = 50
    tokens_per_batch: int = 1024
    d_model: int = 64
    layers: int = 2
    num_heads: int = 4
    d_ff: int = 256
    lengths: tuple[int, ...] = (8, 16, 32, 64, 128, 256)
    cost_source: int = 11
    small_models: int = 3

    @property
    def translators(self) -> tuple[str, ...]:
        """The names of the trained variants, such as ``translator_100``."""
        return tuple(f"{PREFIX}{steps}" for steps in self.steps)


def steps_of(variant: str) -> int:
    """Return the training steps in a translator's name."""
    return int(variant.removeprefix(PREFIX))


def usual_width(beams: Sequence[int]) -> int:
    """Return 5 where it is among the widths, else the middle one."""
    return 5 if 5 in beams else beams[len(beams) // 2]
