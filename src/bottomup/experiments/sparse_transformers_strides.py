"""Chapter 07: does the stride have to fit the rows of the image?

Strided attention beats a window of the same cost on images. If that is due to columns, a stride
that is one shorter or longer than a row should lose it: its sets cross the image at a slant. Each
variant of the record, such as ``stride_8``, is chapter 07's network on digits with one stride; all
have rows of 8 pixels, and position vectors for rows and columns of the image.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean

import torch

from bottomup.attention import SparsePattern
from bottomup.experiments.claim import Claim, MeanAbove
from bottomup.experiments.record import Record
from bottomup.experiments.runner import Experiment
from bottomup.experiments.sparse_transformers_training import SMALL, load, train
from bottomup.experiments.sparse_transformers_training_config import DIGITS, Task
from bottomup.experiments.units import Outcome
from bottomup.i18n import _

NAME = "sparse_transformers_strides"


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


def measure(
    config: Config, variant: str, seed: int, device: torch.device, checkpoint: Path
) -> Outcome:
    """Train one network under one seed and measure its bits on the test images."""
    pattern = SparsePattern(kind="strided", width=int(variant.removeprefix("stride_")))
    corpus = load("digits", config.digits, seed)
    trained = train(config.digits, corpus, pattern, seed, device, checkpoint, config.points)
    trained.curve.forget()
    return Outcome(trained.found)


def claims(record: Record) -> list[Claim]:
    """Return what the record decides. Rule and margin were set before it was made."""
    row = record.config["digits"]["row"]
    others = [row + step for step in record.config["away"]]
    bits = {stride: record.metric(f"stride_{stride}.bits") for stride in (row, *others)}
    best = tuple(map(min, zip(*(bits[stride] for stride in others), strict=True)))
    return [
        Claim(
            id="07.8e",
            sentence=_("On images, a stride that fits the rows beats those beside it."),
            source=_("no paper: a control"),
            paper_value=_("stated: strided attention suits data whose structure fits the stride"),
            measured=_(
                "bits per grey level of the test digits, the least of strides {others} less "
                "stride {row}: {values}; rows of {row} pixels, {steps} steps"
            ).format(
                others=", ".join(map(str, others)),
                row=row,
                values=", ".join(f"{fmean(bits[each]):.3f}" for each in (*others, row)),
                steps=record.config["digits"]["steps"],
            ),
            rule=MeanAbove(0),
            values=tuple(high - low for high, low in zip(best, bits[row], strict=True)),
            record=record.name,
            section="Images and text",
            digits=3,
        )
    ]


EXPERIMENT = Experiment(NAME, PRESETS, variants, measure, claims)
run = EXPERIMENT.run
