"""Chapter 09: a circuit that repeats what came before, by hand and trained.

Every network sees batches of its own seed; what is evaluated is the same for all.
"""

from collections.abc import Sequence

from bottomup.experiments.circuits.config import PRESETS as PRESETS
from bottomup.experiments.circuits.config import Config
from bottomup.experiments.circuits.exact import measure_exact
from bottomup.experiments.circuits.induction import measure_training
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.training.device import for_float64


def variants(config: Config) -> Sequence[str]:
    """Return the parts of the experiment: identities, then trainings."""
    return ("exact", *config.trainings)


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Measure one part under one seed; see `measure_exact` and `measure_training`."""
    if variant == "exact":
        return Outcome(measure_exact(trial.seed, for_float64(trial.device)))
    return Outcome(measure_training(config, variant, trial))
