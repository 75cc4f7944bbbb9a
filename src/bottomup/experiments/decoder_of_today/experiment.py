"""Chapter 10b: identities of a decoder's parts, and how far its positions carry.

Every network sees batches of its own seed; what is evaluated is the same for all.
"""

from collections.abc import Sequence

from bottomup.experiments.decoder_of_today.config import PRESETS as PRESETS
from bottomup.experiments.decoder_of_today.config import Config
from bottomup.experiments.decoder_of_today.exact import measure_exact
from bottomup.experiments.decoder_of_today.length import measure_length
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.training.device import for_float64


def variants(config: Config) -> Sequence[str]:
    """Return the parts of the experiment: identities, then trainings."""
    return ("exact", *config.positions)


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Measure one part under one seed; see `measure_exact` and `measure_length`."""
    if variant == "exact":
        return Outcome(measure_exact(trial.seed, for_float64(trial.device)))
    return Outcome(measure_length(config, variant, trial))
