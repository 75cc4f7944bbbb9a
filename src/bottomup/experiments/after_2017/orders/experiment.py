"""Chapter 10: XLNet predicts in any order, and what is gained by asking twice.

The parts: ``exact``, the masks of two streams; ``new_york``, two words that depend on each other.
"""

from bottomup.experiments.after_2017.orders.config import PRESETS as PRESETS
from bottomup.experiments.after_2017.orders.config import Config
from bottomup.experiments.after_2017.orders.exact import measure_exact
from bottomup.experiments.after_2017.orders.new_york import measure_new_york
from bottomup.experiments.engine.units import Outcome, Trial

VARIANTS = ("exact", "new_york")


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Measure one part under one seed, `measure_exact` or `measure_new_york`.

    Networks are trained on the device; all else is done on the CPU.
    """
    if variant == "exact":
        return Outcome(measure_exact(trial.seed))
    return Outcome(measure_new_york(config, trial.seed, trial.device))
