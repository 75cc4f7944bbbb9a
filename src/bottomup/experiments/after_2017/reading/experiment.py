"""Chapter 10: BERT reads both sides, and what that is good for.

The parts: ``pairs``, which sentence of Python's documentation follows, by words in common;
``both_sides``, masked language models of the mini-language.
"""

from bottomup.experiments.after_2017.reading.both_sides import measure_both_sides
from bottomup.experiments.after_2017.reading.config import PRESETS as PRESETS
from bottomup.experiments.after_2017.reading.config import Config
from bottomup.experiments.after_2017.reading.pairs import measure_pairs
from bottomup.experiments.engine.units import Outcome, Trial

VARIANTS = ("pairs", "both_sides")


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Measure one part under one seed, `measure_both_sides` or `measure_pairs`.

    Networks are trained on the device; all else is done on the CPU.
    """
    if variant == "pairs":
        return Outcome(measure_pairs(trial.seed))
    return Outcome(measure_both_sides(config, trial))
