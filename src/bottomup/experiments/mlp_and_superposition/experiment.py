"""Chapter 04: the MLP as a memory of keys and values, and what it stores.

Its variants: ``exact`` (the sum over neurons, positions, shares of the parameters), ``capacity``
and ``capacity_long`` (facts stored by width, and the same trained longer), ``dissociation``,
``dissociation_many_heads`` and ``dissociation_even`` (which part of a layer joins two names, and
which one knows the attribute: with one head, with several, and with one whose weights are even).
"""

from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.mlp_and_superposition.capacity import measure_capacity
from bottomup.experiments.mlp_and_superposition.config import Config
from bottomup.experiments.mlp_and_superposition.dissociation import measure_dissociation
from bottomup.experiments.mlp_and_superposition.exact import measure_exact
from bottomup.training.device import for_float64

VARIANTS = (
    "exact", "capacity", "capacity_long",
    "dissociation", "dissociation_many_heads", "dissociation_even",
)  # fmt: skip

PRESETS = {
    "tiny": Config(
        widths=(2, 4),
        key_width=5,
        values=7,
        per_doubling=2,
        shown_width=4,
        fact_steps=15,
        long_steps=20,
        first_names=8,
        last_names=8,
        attributes=4,
        d_model=8,
        many_heads=2,
        d_ff=6,
        steps=5,
        warmup=2,
        shuffles=1,
    ),
    "laptop": Config(widths=(8, 16, 32, 64), per_doubling=4, long_steps=800, steps=1_000),
    "recorded": Config(),
    "full": Config(
        widths=(8, 16, 32, 64, 128, 256), fact_steps=4_000, long_steps=16_000, steps=4_000,
        shuffles=10,
    ),
}  # fmt: skip


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Measure one part under one seed."""
    if variant == "exact":
        return Outcome(measure_exact(trial.seed, for_float64(trial.device)))
    if variant.startswith("dissociation"):
        num_heads = config.many_heads if variant.endswith("many_heads") else 1
        even = variant.endswith("even")
        return measure_dissociation(config, num_heads, trial, even=even)
    steps = config.fact_steps if variant == "capacity" else config.long_steps
    return measure_capacity(config, steps, trial.seed, trial.device)
