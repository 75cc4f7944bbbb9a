"""Chapter 07: does a deep stack train better from a start that is scaled by 1/sqrt(2N)?

A variant's name joins the number of layers N with the start of the maps that write to the stream:
``32_scaled``, ``32_unscaled``. The networks are narrow and dense, and predict the pixels of digits.
Under one seed both starts have the same random numbers and see the same batches.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bottomup.attention import SparsePattern
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.shared.training import seeded
from bottomup.experiments.sparse_transformers.training.config import DIGITS, Task
from bottomup.experiments.sparse_transformers.training.experiment import (
    fit_to,
    last_bits,
    load,
    test_bits,
)
from bottomup.models import SparseTransformer, SparseTransformerConfig

STARTS = ("unscaled", "scaled")

NARROW = replace(
    DIGITS,
    d_model=32,
    num_heads=2,
    d_ff=64,
    dropout=0.0,
    batch_size=16,
    steps=200,
    warmup=20,
    learning_rate=1e-3,
)


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        task: data, network and training; its number of layers is not used.
        depths: numbers of layers, in ascending order.
    """

    task: Task = field(default_factory=lambda: NARROW)
    depths: tuple[int, ...] = (2, 32)


TINY = replace(NARROW, d_model=8, d_ff=11, batch_size=3, steps=4, warmup=2, tested=5)
PRESETS = {
    "tiny": Config(task=TINY, depths=(1, 3)),
    "laptop": Config(depths=(2, 8)),
    "recorded": Config(),
    "full": Config(task=replace(NARROW, d_model=64, d_ff=256, steps=2_000), depths=(2, 32, 128)),
}


def variants(config: Config) -> Sequence[str]:
    """Return the networks that are trained."""
    return [f"{depth}_{start}" for depth in config.depths for start in STARTS]


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train one network under one seed; measure its bits a pixel."""
    depth, _, start = variant.partition("_")
    task = config.task
    corpus = load("digits", task, trial.seed)
    model = untrained(task, corpus.vocabulary, trial.seed, int(depth), scaled=start == "scaled")
    history = fit_to(
        corpus, model.to(trial.device), task, seed=trial.seed, checkpoint=trial.checkpoint
    )
    return Outcome(
        {
            "bits": test_bits(model, corpus.test),
            "training_bits": last_bits(history),
            "first_bits": history.loss[0] / math.log(2),
            "baseline": corpus.baseline,
        }
    )


def untrained(
    task: Task, vocabulary: int, seed: int, depth: int, *, scaled: bool
) -> SparseTransformer:
    """Return an untrained network of so many layers; its pattern is the whole triangle."""
    with seeded(seed):
        return SparseTransformer(
            SparseTransformerConfig(
                vocabulary=vocabulary,
                length=task.length,
                row=task.row,
                pattern=SparsePattern(kind="dense", width=task.row),
                d_model=task.d_model,
                num_layers=depth,
                num_heads=task.num_heads,
                d_ff=task.d_ff,
                dropout=task.dropout,
                scaled_init=scaled,
            )
        )
