"""Chapter 08: do the findings depend on width, depth, norm, steps and number of clusters?

Each variant changes one choice of a smaller network. Distances between networks, which need a
second start, are measured in three of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.representation_analysis.config import Config as Choices
from bottomup.experiments.representation_analysis.experiment import TINY as TINY_NETWORKS
from bottomup.experiments.representation_analysis.measure import Networks, measure_networks

CHANGES: Mapping[str, Mapping[str, Any]] = {
    "base": {},
    "width_48": {"d_model": 48, "d_ff": 192},
    "norm_pre": {"norm": "pre"},
    "depth_3": {"num_layers": 3, "starts": 1},
    "steps_1000": {"steps": 1_000, "starts": 1},
    "clusters_100": {"clusters": 100, "starts": 1},
}


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        base: networks and measures of which one choice is changed.
        settings: names of the changes, of those in `CHANGES`.
    """

    base: Choices = field(
        default_factory=lambda: Choices(
            num_layers=4,
            steps=500,
            warmup=100,
            sentences=1_500,
            rows=6_400,
            groups=(0, 20),
            probe_tokens=1_000,
        )
    )
    settings: tuple[str, ...] = tuple(CHANGES)


PRESETS = {
    "tiny": Config(base=TINY_NETWORKS, settings=("base", "norm_pre")),
    "laptop": Config(settings=("base", "depth_3")),
    "recorded": Config(),
    "full": Config(base=Choices(steps=10_000)),
}


def variants(config: Config) -> Sequence[str]:
    """Return the settings."""
    return config.settings


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train the three objectives under one setting and measure what the networks hold."""
    networks = Networks(replace(config.base, **CHANGES[variant]), trial)
    found = measure_networks(networks)
    networks.forget()
    return Outcome(found)
