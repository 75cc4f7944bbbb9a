"""An experiment that takes no time: what it measures is a formula of variant and seed."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch

from bottomup.experiments import Claim, EverySeedAbove, Kind, Record
from bottomup.experiments.engine import registry
from bottomup.experiments.engine.runner import Experiment
from bottomup.experiments.engine.units import Outcome, Trial


@dataclass(frozen=True)
class ToyConfig:
    variants: tuple[str, ...] = ("slow", "fast")
    scale: float = 2.0


def measure(config: ToyConfig, variant: str, trial: Trial) -> Outcome:
    """Count the calls beside the checkpoint, so that a test sees which units were measured."""
    calls = trial.checkpoint.parent / f"calls-{variant}-{trial.seed}"
    calls.parent.mkdir(parents=True, exist_ok=True)
    calls.write_text(
        calls.read_text(encoding="utf-8") + "x" if calls.exists() else "x", encoding="utf-8"
    )
    value = config.scale * trial.seed + config.variants.index(variant) / 3
    return Outcome(
        {"score": value, "threads": torch.get_num_threads(), "by_length": {4: value / 7}},
        {"line": np.arange(trial.seed + 1, dtype=np.float32)},
    )


def claims(record: Record) -> list[Claim]:
    return [
        Claim(
            id="99.1a",
            kind=Kind.PAPER,
            sentence="The score is positive.",
            source="Nobody (1999)",
            paper_value="1",
            measured="score",
            rule=EverySeedAbove(0.0),
            values=record.metric("fast.score"),
            record=record.name,
            section="Nowhere",
        )
    ]


def variants(config: ToyConfig) -> tuple[str, ...]:
    return config.variants


TOY = Experiment("toy", {"tiny": ToyConfig()}, variants, measure, claims)


def measured(folder: Path) -> dict[str, int]:
    """How often each unit was measured in a folder."""
    return {
        path.name.removeprefix("calls-"): len(path.read_text(encoding="utf-8"))
        for path in folder.glob("units/calls-*")
    }


def register(monkeypatch: pytest.MonkeyPatch, toy: Experiment = TOY) -> None:
    """Have the commands find an experiment as ``toy``."""
    monkeypatch.setitem(registry.NAMES, "toy", "a.room")
    monkeypatch.setattr(registry, "experiment", {"toy": toy}.__getitem__)
