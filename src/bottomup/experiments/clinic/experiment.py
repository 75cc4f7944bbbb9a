"""Chapter 11: every disease under several seeds, and every reading of each patient."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from bottomup.experiments.clinic.config import PRESETS, Config
from bottomup.experiments.clinic.diseases import HEALTHY, PIPELINES, taught_alike
from bottomup.experiments.clinic.patient import Patient
from bottomup.experiments.clinic.signs import READINGS, key
from bottomup.experiments.clinic.training import sentences, train
from bottomup.experiments.engine.runner import Experiment
from bottomup.experiments.engine.units import Outcome

NAME = "clinic"


def variants(config: Config) -> Sequence[str]:
    """Return the diseases that train a network of their own, healthy first."""
    others = taught_alike(HEALTHY)
    return tuple(key(name) for name in PIPELINES if name == HEALTHY or name not in others)


def measure(
    config: Config, variant: str, seed: int, device: torch.device, checkpoint: Path
) -> Outcome:
    """Train a patient on the device and take every reading on the CPU, by name: `READINGS`.

    Under ``healthy`` stand by name, too, the diseases whose pipelines train the healthy network and
    ask it wrongly.
    """
    (disease,) = (name for name in PIPELINES if key(name) == variant)
    network, chart = train(config, PIPELINES[disease], seed, device, checkpoint)

    def readings(name: str) -> dict[str, Any]:
        pipeline = PIPELINES[name]
        patient = Patient(config, pipeline, network, chart, *sentences(config, pipeline, seed))
        return {key(question): reading.of(patient) for question, reading in READINGS.items()}

    found = readings(disease)
    if disease == HEALTHY:
        found |= {key(name): readings(name) for name in taught_alike(HEALTHY) if name != HEALTHY}
    return Outcome(found)


EXPERIMENT = Experiment(NAME, PRESETS, variants, measure)
run = EXPERIMENT.run
