"""Chapter 10: BERT reads both sides, XLNet in any order, and what each of them gains.

The parts: ``exact``, the masks of two streams; ``both_sides``, masked language models of the
mini-language; ``pairs``, which sentence of Python's documentation follows; ``new_york``, two words
that depend on each other.
"""

from collections.abc import Sequence
from pathlib import Path

import torch

from bottomup.experiments.after_2017.reading.both_sides import measure_both_sides
from bottomup.experiments.after_2017.reading.claims import claims
from bottomup.experiments.after_2017.reading.config import PRESETS, Config
from bottomup.experiments.after_2017.reading.exact import measure_exact
from bottomup.experiments.after_2017.reading.new_york import measure_new_york
from bottomup.experiments.after_2017.reading.pairs import measure_pairs
from bottomup.experiments.engine.runner import Experiment
from bottomup.experiments.engine.units import Outcome

NAME = "after_2017_reading"


def variants(config: Config) -> Sequence[str]:
    """Return the parts of the experiment."""
    return ("exact", "new_york", "both_sides", "pairs")


def measure(
    config: Config, variant: str, seed: int, device: torch.device, checkpoint: Path
) -> Outcome:
    """Measure one part under one seed, on the CPU; see `measure_exact` and the others."""
    if variant == "exact":
        return Outcome(measure_exact(seed))
    if variant == "new_york":
        return Outcome(measure_new_york(config, seed))
    if variant == "both_sides":
        return Outcome(measure_both_sides(config, seed, checkpoint))
    return Outcome(measure_pairs(config, seed, checkpoint))


EXPERIMENT = Experiment(NAME, PRESETS, variants, measure, claims)
run = EXPERIMENT.run
