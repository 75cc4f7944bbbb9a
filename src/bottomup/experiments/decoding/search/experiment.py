"""Chapter 06: decoding the mini-language: caches, searches, samples, and six ways to count BLEU.

Its variants: ``exact`` (what must be equal, on small random models), ``cost`` (multiplications with
caches and without), and one for each training of chapter 05's translator, such as
``translator_100``. The fully trained translator is so sure that every search finds nearly the same;
so these stop early.
"""

from collections.abc import Sequence

from bottomup.experiments.decoding.search.config import Config
from bottomup.experiments.decoding.search.cost import measure_cost
from bottomup.experiments.decoding.search.exact import measure_exact
from bottomup.experiments.decoding.search.translator import measure_translator
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.training.device import for_float64

PRESETS = {
    "tiny": Config(
        steps=(2, 3),
        kept=3,
        beams=(1, 2, 3),
        sentences=7,
        samples=2,
        corpus_size=400,
        tokens_per_batch=32,
        warmup=1,
        d_model=8,
        layers=1,
        num_heads=2,
        d_ff=12,
        lengths=(2, 5, 11),
        cost_source=3,
        small_models=1,
    ),
    "laptop": Config(steps=(100,), kept=100, beams=(1, 2, 5, 20), sentences=60),
    "recorded": Config(),
    "full": Config(steps=(100, 150, 600, 2_400), beams=(1, 2, 3, 5, 10, 20, 50, 100, 200),
                   sentences=3_000),
}  # fmt: skip


def variants(config: Config) -> Sequence[str]:
    """Return the parts of the experiment, then its translators."""
    return ("exact", "cost", *config.translators)


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Measure one part under one seed."""
    if variant == "exact":
        return Outcome(measure_exact(config.small_models, trial.seed, for_float64(trial.device)))
    if variant == "cost":
        return Outcome(measure_cost(config, trial.seed, trial.device))
    return measure_translator(config, variant, trial)
