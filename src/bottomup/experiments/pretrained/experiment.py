"""Chapter 12: a model that somebody else trained, opened with the instruments of this book.

Its weights are given, so that a seed draws only which sentences are read and which names are mixed.
"""

from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.pretrained.config import PRESETS as PRESETS
from bottomup.experiments.pretrained.config import Config
from bottomup.experiments.pretrained.exact import measure_exact
from bottomup.experiments.pretrained.layers import measure_layers
from bottomup.experiments.pretrained.lists import DESCRIPTIONS, people
from bottomup.experiments.pretrained.names import known, measure_names
from bottomup.experiments.pretrained.opened import Opened, opened
from bottomup.experiments.pretrained.refuted import measure_refuted
from bottomup.experiments.pretrained.traps import measure_traps
from bottomup.experiments.pretrained.words import measure_words

VARIANTS = ("exact", "names", "words", "layers", "traps", "refuted")  # as in the chapter


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Measure one part under one seed; all on the CPU, where the chapter runs too."""
    model: Opened = opened(trained=config.trained)
    if variant == "exact":
        return Outcome(measure_exact(model))
    if variant == "names":
        everyone = known(people(), config.people)
        metrics, arrays = measure_names(
            model, everyone, DESCRIPTIONS, mixed=config.mixed, seed=trial.seed
        )
    elif variant == "words":
        metrics, arrays = measure_words(model)
    elif variant == "layers":
        metrics, arrays = measure_layers(model, config, trial.seed)
    elif variant == "traps":
        metrics, arrays = measure_traps(model, config, trial.seed)
    else:
        metrics, arrays = {}, measure_refuted(model)
    return Outcome(metrics, {name: value.numpy() for name, value in arrays.items()})
