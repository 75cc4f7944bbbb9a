"""Records that no training made: for claims, and for what is made of a record."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any

import numpy as np

from bottomup.experiments import Record

SEEDS = (0, 1, 2)


def record_of(
    experiment: str,
    runs: Sequence[Mapping[str, Any]],
    config: Any,
    *,
    preset: str = "recorded",
    arrays: Mapping[str, np.ndarray] | None = None,
) -> Record:
    """A record of these metrics, by variant, one a seed; as JSON keeps the configuration."""
    settings = asdict(config) if is_dataclass(config) else config
    return Record(
        experiment=experiment,
        preset=preset,
        config=json.loads(json.dumps(settings)),
        seeds=tuple(range(len(runs))),
        runs=tuple({"seed": seed, "metrics": metrics} for seed, metrics in enumerate(runs)),
        versions={},
        device="cpu",
        threads=1,
        seconds=1.0,
        command="",
        base_commit="unknown",
        dirty=False,
        arrays=arrays or {},
    )


def alike(experiment: str, metrics: Mapping[str, Any], config: Any) -> Record:
    """A record whose seeds all have the same metrics."""
    return record_of(experiment, [metrics] * len(SEEDS), config)
