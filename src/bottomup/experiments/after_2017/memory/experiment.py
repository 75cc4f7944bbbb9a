"""Chapter 10: Transformer-XL's memory, exactly, on a delayed copy and on text.

Every network sees batches of its own seed; what is evaluated is the same for all.
"""

from collections.abc import Sequence
from pathlib import Path

import torch

from bottomup.experiments.after_2017.memory.config import DELAYS, PRESETS, Config
from bottomup.experiments.after_2017.memory.exact import measure_exact
from bottomup.experiments.after_2017.memory.trainings import measure_delay, measure_text
from bottomup.experiments.engine.runner import Experiment
from bottomup.experiments.engine.units import Outcome

NAME = "after_2017_memory"
TEXTS = {"text_remembers": True, "text_forgets": False}


def variants(config: Config) -> Sequence[str]:
    """Return the parts of the experiment: identities, delayed copies, trainings on text."""
    return ("exact", *(f"delay_{name}" for name in DELAYS), *TEXTS)


def measure(
    config: Config, variant: str, seed: int, device: torch.device, checkpoint: Path
) -> Outcome:
    """Measure one part; see `measure_exact`, `measure_delay` and `measure_text`."""
    if variant == "exact":
        return Outcome(measure_exact(seed))
    if variant in TEXTS:
        return Outcome(measure_text(config, TEXTS[variant], seed, device, checkpoint))
    name = variant.removeprefix("delay_")
    return Outcome(measure_delay(config, name, seed, device, checkpoint))


EXPERIMENT = Experiment(NAME, PRESETS, variants, measure)
run = EXPERIMENT.run
