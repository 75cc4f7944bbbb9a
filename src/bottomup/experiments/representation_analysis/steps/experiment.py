"""Chapter 08: does a masked language model that trains longer recover, and do its curves cross?

When the first seed of the main record was in, its MLM had neither recovered nor crossed, and its
loss was still falling. The explanation offered, too little training, is tested here: the same
networks from the same starts, with more steps.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.representation_analysis.config import Config as Choices
from bottomup.experiments.representation_analysis.experiment import TINY as TINY_NETWORKS
from bottomup.experiments.representation_analysis.measure import Networks, measure_trained


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        base: networks and measures, those of the main record but for the objective.
        steps: trainings of so many steps; the main record has one that lies between them.
    """

    base: Choices = field(default_factory=lambda: Choices(objectives=("mlm",), starts=1))
    steps: tuple[int, ...] = (600, 5_400)


PRESETS = {
    "tiny": Config(base=replace(TINY_NETWORKS, objectives=("mlm",), starts=1), steps=(3, 5)),
    "laptop": Config(steps=(300, 600)),
    "recorded": Config(),
    "full": Config(steps=(1_800, 5_400, 16_200)),
}


def variants(config: Config) -> Sequence[str]:
    """Return the trainings by their steps."""
    return [f"steps_{steps}" for steps in config.steps]


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train a masked language model for some steps and measure what its layers hold."""
    choices = replace(config.base, steps=int(variant.removeprefix("steps_")))
    networks = Networks(choices, trial)
    found = measure_trained(networks)
    networks.forget()
    return Outcome(found)
