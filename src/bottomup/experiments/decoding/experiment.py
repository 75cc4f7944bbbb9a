"""Chapter 06: translation of real sentences, English to German, by our model and a plain one.

Its variants: ``bottomup``, the package's Transformer with the chapter's recipe, and ``torch``,
`nn.Transformer` with the recipe that it was given. Both learn from the same pairs; what differs is
in the configuration, and the processor seconds of both are counted step by step.
"""

from bottomup.experiments.decoding.config import KINDS, Config, Recipe
from bottomup.experiments.decoding.config import PRESETS as PRESETS
from bottomup.experiments.decoding.corpus import learn_pieces
from bottomup.experiments.decoding.training import train
from bottomup.experiments.decoding.translations import measure_greedy, measure_searches
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.models import Transformer

VARIANTS = KINDS


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train one translator and translate the test sentences.

    Only the seconds differ between two runs. An interrupted training goes on, with its curve and
    the seconds so far.
    """
    recipe: Recipe = getattr(config, variant)
    model, training = train(config, recipe, variant, trial)
    pieces = learn_pieces(config.corpus, recipe.vocabulary)
    written = measure_greedy(model, pieces, config)
    metrics, arrays = {**training, **written.metrics}, dict(written.arrays)
    if isinstance(model, Transformer):  # the plain one keeps no state that a search could reorder
        searched = measure_searches(model, pieces, config)
        metrics |= searched.metrics
        arrays |= searched.arrays
    return Outcome(metrics, arrays)
