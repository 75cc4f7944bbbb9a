"""Chapter 07: does the stride have to fit the rows of the image?

Strided attention seemed to beat a window of the same cost on images (07.8c). If that is due to
columns, a stride that is one shorter or longer than a row should lose it: its sets cross the image
at a slant. Each variant of the record, such as ``stride_8``, is chapter 07's network on digits with
one stride; all have rows of 8 pixels, and position vectors for rows and columns of the image.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bottomup.attention import SparsePattern
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.sparse_transformers.training.config import DIGITS, Task
from bottomup.experiments.sparse_transformers.training.experiment import SMALL, load, train


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        digits: the task, with its rows.
        away: by how much the other strides differ from a row.
        points: how often bits are measured in a training.
    """

    digits: Task = field(default_factory=lambda: DIGITS)
    away: tuple[int, ...] = (-1, 1)
    points: int = 4


PRESETS = {
    "tiny": Config(digits=replace(DIGITS, **SMALL, warmup=2, tested=5), points=2),
    "laptop": Config(digits=replace(DIGITS, steps=300)),
    "recorded": Config(),
    "full": Config(digits=replace(DIGITS, steps=8_000), away=(-3, -2, -1, 1, 2, 3)),
}


def variants(config: Config) -> Sequence[str]:
    """Return the networks, the one whose stride fits the rows first."""
    row = config.digits.row
    return [f"stride_{row + step}" for step in (0, *config.away)]


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train one network under one seed and measure its bits on the test images."""
    pattern = SparsePattern(kind="strided", width=int(variant.removeprefix("stride_")))
    corpus = load("digits", config.digits, trial.seed)
    _model, found = train(config.digits, corpus, pattern, trial, config.points)
    return Outcome(found)
