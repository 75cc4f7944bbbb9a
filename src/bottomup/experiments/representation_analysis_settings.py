"""Chapter 08: do the findings depend on width, depth, norm and number of clusters?

Each variant changes one choice of a smaller network. Distances between networks, which need two
starts, are left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch

from bottomup.experiments.representation_analysis import TINY as TINY_NETWORKS
from bottomup.experiments.representation_analysis import one_start
from bottomup.experiments.representation_analysis_config import Config as Networks
from bottomup.experiments.representation_analysis_settings_claims import claims
from bottomup.experiments.runner import Experiment
from bottomup.experiments.units import Outcome

NAME = "representation_analysis_settings"
CHANGES: Mapping[str, Mapping[str, Any]] = {
    "base": {},
    "width_32": {"d_model": 32, "d_ff": 128},
    "width_128": {"d_model": 128, "d_ff": 512, "rows": 13_000},
    "depth_2": {"num_layers": 2},
    "norm_pre": {"norm": "pre"},
    "clusters_100": {"clusters": 100},
    "clusters_1000": {"clusters": 1_000},
}


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        base: networks and measures of which one choice is changed.
        settings: names of the changes, of those in `CHANGES`.
    """

    base: Networks = field(
        default_factory=lambda: Networks(
            num_layers=4,
            steps=700,
            sentences=2_000,
            rows=6_400,
            groups=(10,),
            passes=4,
            probe_tokens=1_000,
        )
    )
    settings: tuple[str, ...] = tuple(CHANGES)


PRESETS = {
    "tiny": Config(base=TINY_NETWORKS, settings=("base", "norm_pre")),
    "laptop": Config(settings=("base", "depth_2")),
    "recorded": Config(),
    "full": Config(base=Networks(steps=10_000)),
}


def variants(config: Config) -> Sequence[str]:
    """Return the settings."""
    return config.settings


def measure(
    config: Config, variant: str, seed: int, device: torch.device, checkpoint: Path
) -> Outcome:
    """Train the three objectives under one setting and measure what the networks hold."""
    return Outcome(one_start(replace(config.base, **CHANGES[variant]), seed, device, checkpoint))


EXPERIMENT = Experiment(NAME, PRESETS, variants, measure, claims)
run = EXPERIMENT.run
