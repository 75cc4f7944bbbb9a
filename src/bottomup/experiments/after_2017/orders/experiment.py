"""Chapter 10: XLNet predicts in any order, and what is gained by asking twice.

The parts: ``exact``, the masks of two streams; ``new_york``, two words that depend on each other.
"""

from collections.abc import Sequence
from pathlib import Path

import torch

from bottomup.experiments.after_2017.orders.config import PRESETS, Config
from bottomup.experiments.after_2017.orders.exact import measure_exact
from bottomup.experiments.after_2017.orders.new_york import measure_new_york
from bottomup.experiments.engine.runner import Experiment
from bottomup.experiments.engine.units import Outcome

NAME = "after_2017_orders"


def variants(config: Config) -> Sequence[str]:
    """Return the parts of the experiment."""
    return ("exact", "new_york")


def measure(
    config: Config, variant: str, seed: int, device: torch.device, checkpoint: Path
) -> Outcome:
    """Measure one part under one seed, `measure_exact` or `measure_new_york`.

    Networks are trained on the device; all else is done on the CPU.
    """
    if variant == "exact":
        return Outcome(measure_exact(seed))
    return Outcome(measure_new_york(config, seed, device))


EXPERIMENT = Experiment(NAME, PRESETS, variants, measure)
run = EXPERIMENT.run
