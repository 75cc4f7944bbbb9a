"""Chapter 08: do neighbours share the words around them, layer by layer?

The chapter asks whether a token's neighbours are the same word. Here they are, and the question is
in which context they stand: which word, or which class of word, is to the left and to the right.
Read are the three objectives and both networks as they start. The networks are those of `settings`
with more steps, 2,400: a masked language model that trains as little as there, 500, has not begun
to rebuild its tokens (08.8). No training was tried before the rules were set.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.representation_analysis.config import Config as Choices
from bottomup.experiments.representation_analysis.context.neighbours import (
    chance,
    copies,
    places,
    share,
    surroundings,
)
from bottomup.experiments.representation_analysis.experiment import TINY as TINY_NETWORKS
from bottomup.experiments.representation_analysis.networks import (
    Start,
    held_out_loss,
    test_batches,
    train,
    untrained,
)
from bottomup.experiments.representation_analysis.readings import by_layer, gather, generator
from bottomup.experiments.representation_analysis.text import load_text

UNTRAINED = {"untrained": "mlm", "untrained_causal": "lm"}  # variant -> whose network it is
COPIES = 1_400_000  # the seed of the copies that are drawn, the next one after those of `readings`


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        base: networks, trainings and the sentences that are measured.
        nearest: neighbours of a copy.
        types: most frequent types of which copies are compared.
        per_type: the most copies of a type.
    """

    base: Choices = field(default_factory=lambda: Choices(num_layers=4, steps=2_400, starts=1))
    nearest: int = 5
    types: int = 30
    per_type: int = 800


PRESETS = {
    "tiny": Config(base=replace(TINY_NETWORKS, starts=1), nearest=2, types=7, per_type=40),
    "laptop": Config(base=Choices(num_layers=4, steps=500, sentences=2_000, starts=1)),
    "recorded": Config(),
    "full": Config(base=Choices(steps=10_000, starts=1)),
}


def variants(config: Config) -> Sequence[str]:
    """Return the objectives, and the networks as they start."""
    return (*config.base.objectives, *UNTRAINED)


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train a network; measure what the nearest copies of a word share of their context.

    - ``share.<label>.<layer>``: share of nearest copies with the same label.
    - ``chance.<label>``: share of all copies.
    - ``loss``: on held-out sentences, in nats.
    """
    text, start = load_text(config.base), Start.of(trial.seed, 0)
    objective = UNTRAINED.get(variant, variant)
    if variant in UNTRAINED:
        model = untrained(config.base, text, objective, start).to(trial.device).eval()
    else:
        model = train(config.base, text, objective, start, trial.device, trial.checkpoint)
    batches = test_batches(text, trial.device)
    found, labels = gather(model, batches), surroundings(batches, text.words)
    drawn = copies(
        found.tokens,
        types=config.types,
        per_type=config.per_type,
        k=config.nearest,
        generator=generator(COPIES, trial.seed),
    )
    shares: dict[str, list[float]] = {name: [] for name in labels}
    for states in found.states:
        near = places(states, drawn, config.nearest)
        for name, label in labels.items():
            shares[name].append(share(label, drawn, near))
    return Outcome(
        {
            "loss": held_out_loss(text, objective, model, trial.seed),
            "share": {name: by_layer(values) for name, values in shares.items()},
            "chance": {name: chance(label, drawn) for name, label in labels.items()},
        }
    )
