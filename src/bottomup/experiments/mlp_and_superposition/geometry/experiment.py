"""Chapter 04: toy models of superposition, which features they keep and how these lie.

The parts are the variants of the record:

- ``five``: five features of falling importance in two dimensions, by sparsity
- ``linear``: the same without the ReLU; ``equal``: without the ReLU, with equal importances
- ``20_to_5``, ``80_to_20``: larger models with equal importances, by sparsity
- ``phases``: two features in one dimension, by relative importance and density
- ``map``: solutions for five features by sparsity and decay of importance, kept for a figure

Every part trains from several starts and keeps, for each case, the one of the lowest loss on fresh
samples.
"""

from collections.abc import Sequence

from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.mlp_and_superposition.geometry.config import Config, Training
from bottomup.experiments.mlp_and_superposition.geometry.five import measure_five
from bottomup.experiments.mlp_and_superposition.geometry.linear import (
    measure_equal,
    measure_linear,
)
from bottomup.experiments.mlp_and_superposition.geometry.map import measure_map
from bottomup.experiments.mlp_and_superposition.geometry.phases import measure_phases
from bottomup.experiments.mlp_and_superposition.geometry.wide import measure_wide

_FEW = Training(steps=5, samples=7, restarts=2)

PRESETS = {
    "tiny": Config(
        sparsities=(0.0, 0.5, 0.9),
        pairs=(0.5,),
        pentagons=(0.9,),
        points=3,
        sparsest=9.0,
        plateau=(2.0, 4.0),
        cells=4,
        map_sparsities=(0.0, 0.5, 0.9),
        map_decays=(1.0, 0.8),
        fresh=101,
        five=_FEW,
        linear=_FEW,
        equal=_FEW,
        wide=_FEW,
        phases=_FEW,
        map=_FEW,
    ),
    "laptop": Config(
        parts=("five", "phases"),
        sparsities=(0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97),
        pairs=(0.5, 0.6, 0.7, 0.8),
        pentagons=(0.9, 0.97),
        cells=8,
        fresh=5_000,
        phases=Training(steps=600, samples=128, learning_rate=0.02, restarts=4),
    ),
    "recorded": Config(),
    "full": Config(
        five=Training(steps=10_000, samples=1_024, restarts=16),
        linear=Training(steps=20_000, samples=1_024, restarts=4),
        equal=Training(steps=10_000, samples=1_024, restarts=8),
        wide=Training(steps=10_000, samples=1_024, restarts=4),
        phases=Training(steps=3_000, samples=1_024, learning_rate=0.02, restarts=10),
        map=Training(steps=10_000, samples=1_024, restarts=16),
        cells=32,
    ),
}


def variants(config: Config) -> Sequence[str]:
    """Return the parts of the experiment."""
    return config.parts


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Measure one part under one seed."""
    if "_to_" in variant:
        features, dimensions = map(int, variant.split("_to_"))
        return measure_wide(config, features, dimensions, trial)
    measures = {
        "five": measure_five,
        "linear": measure_linear,
        "equal": measure_equal,
        "phases": measure_phases,
        "map": measure_map,
    }
    return measures[variant](config, trial)
