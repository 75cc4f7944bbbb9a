"""Chapter 10: Transformer-XL's memory, exactly, on a delayed copy and on text.

Every network sees batches of its own seed; what is evaluated is the same for all.
"""

from bottomup.experiments.after_2017.memory.config import DELAYS, Config
from bottomup.experiments.after_2017.memory.config import PRESETS as PRESETS
from bottomup.experiments.after_2017.memory.exact import measure_exact
from bottomup.experiments.after_2017.memory.trainings import measure_delay, measure_text
from bottomup.experiments.engine.units import Outcome, Trial

TEXTS = {"text_remembers": True, "text_forgets": False}
# identities, delayed copies, trainings on text
VARIANTS = ("exact", *(f"delay_{name}" for name in DELAYS), *TEXTS)


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Measure one part; see `measure_exact`, `measure_delay` and `measure_text`."""
    if variant == "exact":
        return Outcome(measure_exact(trial.seed))
    if variant in TEXTS:
        return Outcome(measure_text(config, TEXTS[variant], trial))
    name = variant.removeprefix("delay_")
    return Outcome(measure_delay(config, name, trial))
