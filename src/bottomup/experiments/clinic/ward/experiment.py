"""Chapter 11: the patients that a reader examines, one training each, and a healthy twin."""

import numpy as np
import torch

from bottomup.experiments.clinic.config import PRESETS as PRESETS
from bottomup.experiments.clinic.config import Config
from bottomup.experiments.clinic.diseases import PIPELINES
from bottomup.experiments.clinic.patient import Chart, Patient
from bottomup.experiments.clinic.training import sentences, train
from bottomup.experiments.clinic.ward.sealed import SEALS, TWIN, disease_in
from bottomup.experiments.engine.record import Record
from bottomup.experiments.engine.units import Outcome, Trial

NAME = "clinic_ward"
VARIANTS = (TWIN, *SEALS)
CURVES = ("loss", "gradient_norm", "rate")


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train the patient of a bed; keep its parameters and curves, in 16 bits.

    ``first_weight``: see `Chart`.
    """
    pipeline = PIPELINES[disease_in(variant)]
    network, chart = train(
        config, pipeline, seed_of(variant, trial.seed), trial.device, trial.checkpoint
    )
    kept = {f"weights.{name}": weight.detach() for name, weight in network.named_parameters()}
    kept |= {name: torch.tensor(getattr(chart, name)) for name in CURVES}
    arrays = {name: tensor.numpy().astype(np.float16) for name, tensor in kept.items()}
    return Outcome({"first_weight": chart.first_weight}, arrays)


def seed_of(bed: str, seed: int) -> int:
    """Return the seed of a bed's training, another one for each bed."""
    return 100 * seed + (TWIN, *SEALS).index(bed)


def admitted(record: Record, bed: str) -> Patient:
    """Return the patient that a record keeps in a bed."""
    config, (seed,) = Config(**record.config), record.seeds
    pipeline = PIPELINES[disease_in(bed)]
    with torch.random.fork_rng(devices=[]):  # the reader's random numbers stay as they are
        network = pipeline.build(config.network)
    names = [name for name, _parameter in network.named_parameters()]
    kept = {
        name: torch.from_numpy(record.arrays[f"{bed}/{seed}/{name}"]).float()
        for name in (*CURVES, *(f"weights.{name}" for name in names))
    }
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            parameter.copy_(kept[f"weights.{name}"])
    (first_weight,) = record.metric(f"{bed}.first_weight")
    loss, norms, rates = (tuple(kept[name].tolist()) for name in CURVES)
    chart = Chart(loss, norms, rates, first_weight)
    known = sentences(config, pipeline, seed_of(bed, seed))
    return Patient(config, pipeline, network, chart, *known)
