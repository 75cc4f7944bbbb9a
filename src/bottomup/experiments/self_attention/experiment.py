"""Chapter 02: what self-attention computes exactly, and what one layer of it learns.

Five parts, each a variant of the record: ``exact`` (parity, symmetry, causality, temperature),
``saturation`` (softmax by width, scaled and not), ``order`` (what a network without positions
knows of them), ``embeddings`` (word vectors before and after training), and ``reader_1`` and
``reader_2`` (one and two layers that name the noun a pronoun stands for), ``reader_1_long`` and
``reader_2_long`` (the same, trained longer).
"""

from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.self_attention.config import Config
from bottomup.experiments.self_attention.embeddings import measure_embeddings
from bottomup.experiments.self_attention.exact import measure_exact, measure_saturation
from bottomup.experiments.self_attention.order import measure_order
from bottomup.experiments.self_attention.pronouns import measure_reader
from bottomup.training.device import for_float64

READERS = {
    "reader_1": (1, False),
    "reader_2": (2, False),
    "reader_1_long": (1, True),
    "reader_2_long": (2, True),
}  # layers, and whether they train longer
VARIANTS = ("exact", "saturation", "order", "embeddings", *READERS)


PRESETS = {
    "tiny": Config(
        widths=(4, 64),
        keys=7,
        rows=11,
        positions=5,
        order_steps=3,
        corpus_size=600,
        embedding_steps=3,
        reader_steps=3,
        long_steps=5,
        d_model=8,
        batch_size=5,
        warmup=2,
    ),
    "laptop": Config(rows=100, order_steps=300),
    "recorded": Config(),
    "full": Config(rows=5_000, order_steps=6_000, embedding_steps=6_000, long_steps=40_000),
}


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Measure one part under one seed."""
    if variant == "exact":
        return Outcome(measure_exact(trial.seed, for_float64(trial.device)))
    if variant == "saturation":
        return Outcome(measure_saturation(config, trial.seed, for_float64(trial.device)))
    if variant == "order":
        return Outcome(measure_order(config, trial))
    if variant == "embeddings":
        return measure_embeddings(config, trial)
    layers, long = READERS[variant]
    steps = config.long_steps if long else config.reader_steps
    return Outcome(measure_reader(config, layers, steps, trial))
