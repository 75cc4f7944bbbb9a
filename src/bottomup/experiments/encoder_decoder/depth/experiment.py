"""Chapter 05: what depth needs, warm-up and the place of the norm, and a way around each layer.

Variants of the record: ``post_cold_12`` is a Transformer with 12 layers on each side in post-norm
without warm-up, ``warm`` with it, ``slow`` without it at a lower rate; ``plain_50`` is a stack of
50 layers, beside ``residual``, ``highway``, and ``orthogonal``, a plain one from orthogonal
weights.
"""

from collections.abc import Sequence

from bottomup.experiments.encoder_decoder.depth.config import Config
from bottomup.experiments.encoder_decoder.depth.stacks import STACKS, measure_stack
from bottomup.experiments.encoder_decoder.depth.warmup import Cell, cells, measure_cell
from bottomup.experiments.engine.units import Outcome, Trial

PRESETS = {
    "tiny": Config(
        layers=(1, 2),
        judged=2,
        max_length=5,
        batch_size=7,
        d_model=8,
        num_heads=2,
        d_ff=11,
        steps=5,
        warmup=3,
        pairs=3,
        depths=(2, 5),
        width=7,
        stack_steps=3,
    ),
    "laptop": Config(layers=(2, 6), depths=(5, 50)),
    "recorded": Config(),
    "full": Config(layers=(2, 6, 12, 24), steps=4_000, depths=(5, 20, 50, 100), stack_steps=3_000),
}


def variants(config: Config) -> Sequence[str]:
    """Return the Transformers and the stacks that are compared."""
    stacks = [f"{stack}_{depth}" for depth in config.depths for stack in STACKS]
    return [*(cell.name for cell in cells(config)), *stacks]


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Measure one Transformer or one stack under one seed."""
    if variant.split("_")[0] in STACKS:
        return Outcome(measure_stack(config, variant, trial))
    return Outcome(measure_cell(config, Cell.parse(variant), trial))
