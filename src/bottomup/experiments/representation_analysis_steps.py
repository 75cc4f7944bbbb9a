"""Chapter 08: does a masked language model that trains longer recover, and do its curves cross?

When the first seed of the main record was in, its MLM had neither recovered nor crossed, and its
loss was still falling. The explanation offered, too little training, is tested here: the same
networks from the same starts, with more steps.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch

from bottomup.experiments.representation_analysis import TINY as TINY_NETWORKS
from bottomup.experiments.representation_analysis import one_start
from bottomup.experiments.representation_analysis_config import Config as Networks
from bottomup.experiments.representation_analysis_steps_claims import claims
from bottomup.experiments.runner import Experiment
from bottomup.experiments.units import Outcome

NAME = "representation_analysis_steps"


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        base: networks and measures, those of the main record but for the objective.
        steps: trainings of so many steps.
    """

    base: Networks = field(default_factory=lambda: Networks(objectives=("mlm",)))
    steps: tuple[int, ...] = (600, 1_800, 3_600, 7_200)


PRESETS = {
    "tiny": Config(base=replace(TINY_NETWORKS, objectives=("mlm",)), steps=(3, 5)),
    "laptop": Config(steps=(300, 600)),
    "recorded": Config(),
    "full": Config(steps=(1_800, 7_200, 28_800)),
}


def variants(config: Config) -> Sequence[str]:
    """Return the trainings by their steps."""
    return [f"steps_{steps}" for steps in config.steps]


def measure(
    config: Config, variant: str, seed: int, device: torch.device, checkpoint: Path
) -> Outcome:
    """Train a masked language model for some steps and measure what its layers hold."""
    steps = int(variant.removeprefix("steps_"))
    return Outcome(one_start(replace(config.base, steps=steps), seed, device, checkpoint))


EXPERIMENT = Experiment(NAME, PRESETS, variants, measure, claims)
run = EXPERIMENT.run
