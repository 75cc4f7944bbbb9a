"""Chapter 07: what sparse attention computes, reaches, leaks and saves; nothing is trained.

Six parts, each a variant of the record: ``equality`` (with dense attention under the mask),
``counts`` (scores by length), ``reach`` (what two layers connect), ``leak`` (the printed sets read
literally, and positions that count twice), ``recompute`` (bytes kept, runs, seconds, equality bit
for bit), ``growth`` (the stream by depth at the start).
"""

from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.sparse_transformers.config import Config
from bottomup.experiments.sparse_transformers.equality import measure_equality
from bottomup.experiments.sparse_transformers.growth import measure_growth
from bottomup.experiments.sparse_transformers.leak import measure_leak
from bottomup.experiments.sparse_transformers.patterns import measure_counts, measure_reach
from bottomup.experiments.sparse_transformers.recompute import measure_recompute
from bottomup.training.device import for_float64

VARIANTS = ("equality", "counts", "reach", "leak", "recompute", "growth")

PRESETS = {
    "tiny": Config(
        sizes=((1, 7, 2), (13, 6, 5)),
        lengths=(16, 64, 256),
        positions=49,
        stride=7,
        summary=2,
        leak=(13, 4, 2),
        depths=(1, 2, 3),
        timed_lengths=(11,),
        repeats=1,
        length=11,
        d_model=8,
        num_heads=2,
        d_ff=12,
        stacks=(1, 3),
        row=4,
    ),
    "laptop": Config(
        sizes=((5, 7, 3), (67, 16, 1), (131, 19, 8)),
        leak=(31, 6, 2),
        depths=(2, 8),
        timed_lengths=(128,),
        repeats=3,
        length=128,
        stacks=(2, 8, 32),
    ),
    "recorded": Config(),
    "full": Config(
        lengths=(256, 1024, 4096, 16384, 65536, 262144, 1048576),
        positions=4096,
        stride=64,
        leak=(131, 11, 3),
        depths=(2, 4, 8, 16, 32, 64),
        timed_lengths=(256, 1024, 4096),
        length=1024,
        stacks=(2, 8, 32, 128, 512),
        row=32,
    ),
}


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Measure one part under one seed."""
    if variant == "counts":
        return Outcome(measure_counts(config))
    if variant == "reach":
        return Outcome(measure_reach(config, trial.device))
    if variant == "recompute":
        return Outcome(measure_recompute(config, trial.seed, trial.device))
    if variant == "growth":
        return Outcome(measure_growth(config, trial.seed, trial.device))
    exact = {"equality": measure_equality, "leak": measure_leak}
    return Outcome(exact[variant](config, trial.seed, for_float64(trial.device)))
