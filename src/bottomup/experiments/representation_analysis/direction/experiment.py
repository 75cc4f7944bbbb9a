"""Chapter 08: is it the objective or the direction that sets MLM apart from LM?

A language model predicts the next token and reads what came before; a masked one predicts hidden
tokens and reads both sides. Between them stands ``mlm_left``, which predicts hidden tokens and
reads what came before. All three start alike and see the same sentences.
"""

from collections.abc import Sequence
from dataclasses import replace

from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.representation_analysis.config import Config
from bottomup.experiments.representation_analysis.experiment import PRESETS as ALL_OBJECTIVES
from bottomup.experiments.representation_analysis.networks import (
    Start,
    held_out_loss,
    test_batches,
    train,
)
from bottomup.experiments.representation_analysis.readings import (
    change,
    gather,
    information,
    views,
)
from bottomup.experiments.representation_analysis.text import load_text

PRESETS = {
    name: replace(config, objectives=("lm", "mlm_left", "mlm"), starts=1)
    for name, config in ALL_OBJECTIVES.items()
}


def variants(config: Config) -> Sequence[str]:
    """Return the objectives."""
    return config.objectives


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train a network; measure what it tells of the token it reads, and what its layers change."""
    text = load_text(config)
    model = train(config, text, variant, Start.of(trial.seed, 0), trial.device, trial.checkpoint)
    found = gather(model, test_batches(text, trial.device))
    return Outcome(
        {
            "loss": held_out_loss(text, variant, model, trial.seed),
            "information": information(found, found.tokens, config, trial.seed),
            "change": change(views(found, config, trial.seed)),
        }
    )
