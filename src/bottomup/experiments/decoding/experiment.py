"""Chapter 06: translation of real sentences, English to German, by our model and a plain one.

Its variants: ``bottomup``, the package's Transformer with the chapter's recipe, and ``torch``,
`nn.Transformer` with the recipe that it was given. Both learn from the same pairs; what differs is
in the configuration, and the processor seconds of both are counted step by step.
"""

from collections.abc import Sequence
from pathlib import Path

import torch

from bottomup.experiments.decoding.config import KINDS, PRESETS, Config, Recipe
from bottomup.experiments.decoding.corpus import learn_pieces
from bottomup.experiments.decoding.training import train
from bottomup.experiments.decoding.translations import measure_greedy, measure_searches
from bottomup.experiments.engine.runner import Experiment
from bottomup.experiments.engine.units import Outcome
from bottomup.models import Transformer

NAME = "decoding"


def variants(config: Config) -> Sequence[str]:
    """Return the two kinds of translator."""
    return KINDS


def measure(
    config: Config, variant: str, seed: int, device: torch.device, checkpoint: Path
) -> Outcome:
    """Train one translator and translate the test sentences.

    Only the seconds differ between two runs. An interrupted training goes on, with its curve and
    the seconds so far.
    """
    recipe: Recipe = getattr(config, variant)
    model, training = train(config, recipe, variant, seed, device, checkpoint)
    pieces = learn_pieces(config.corpus, recipe.vocabulary)
    written = measure_greedy(model, pieces, config)
    metrics, arrays = {**training, **written.metrics}, dict(written.arrays)
    if isinstance(model, Transformer):  # the plain one keeps no state that a search could reorder
        searched = measure_searches(model, pieces, config)
        metrics |= searched.metrics
        arrays |= searched.arrays
    return Outcome(metrics, arrays)


EXPERIMENT = Experiment(NAME, PRESETS, variants, measure)
run = EXPERIMENT.run
