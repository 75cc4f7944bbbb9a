"""Chapter 03: what heads cost, what hops read, which heads can go, and how many it takes.

The parts are the variants of the record: ``exact`` (parity, costs, free widths); ``one_hop``,
``penalty_0`` and ``penalty_c`` (Lin's hops: one, several, several with the penalty); ``pruning``
(heads removed after training); and ``heads_1``, ``heads_2``, ... (readers of one width whose number
of heads differs). Pair retrieval has an experiment of its own.
"""

from collections.abc import Sequence

from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.multi_head_attention.config import Config
from bottomup.experiments.multi_head_attention.exact import measure_exact
from bottomup.experiments.multi_head_attention.hops import measure_hops
from bottomup.experiments.multi_head_attention.pruning import measure_pruning
from bottomup.experiments.multi_head_attention.readers import measure_heads
from bottomup.training.device import for_float64

PRESETS = {
    "tiny": Config(
        heads=(1, 2, 4, 8),
        pruned_heads=2,
        random_orders=2,
        kept_sentences=2,
        corpus_size=1_500,
        d_model=8,
        batch_size=5,
        reader_steps=3,
        hops=3,
        d_attention=5,
        hop_steps=3,
        warmup=2,
    ),
    "laptop": Config(heads=(1, 8, 32, 64), reader_steps=400, hop_steps=400),
    "recorded": Config(),
    "full": Config(reader_steps=6_000, hop_steps=6_000, random_orders=50),
}


def variants(config: Config) -> Sequence[str]:
    """Return the parts of the experiment."""
    parts = ("exact", "one_hop", "penalty_0", "penalty_c", "pruning")
    return (*parts, *(f"heads_{heads}" for heads in config.heads))


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Measure one part under one seed."""
    if variant == "exact":
        return Outcome(measure_exact(trial.seed, for_float64(trial.device)))
    if variant == "pruning":
        return measure_pruning(config, trial)
    hops = {
        "one_hop": (1, 0.0),
        "penalty_0": (config.hops, 0.0),
        "penalty_c": (config.hops, config.penalty),
    }
    if variant in hops:
        return Outcome(measure_hops(config, *hops[variant], trial))
    heads = int(variant.removeprefix("heads_"))
    return Outcome(measure_heads(config, heads, trial))
