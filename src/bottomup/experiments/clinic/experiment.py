"""Chapter 11: every disease under several seeds, and every reading of each patient."""

from typing import Any

from bottomup.experiments.clinic.config import PRESETS as PRESETS
from bottomup.experiments.clinic.config import Config
from bottomup.experiments.clinic.diseases import HEALTHY, PIPELINES, taught_alike
from bottomup.experiments.clinic.patient import Patient
from bottomup.experiments.clinic.signs import READINGS, key
from bottomup.experiments.clinic.training import sentences, train
from bottomup.experiments.engine.units import Outcome, Trial

# the diseases that train a network of their own, healthy first
VARIANTS = tuple(
    key(name) for name in PIPELINES if name == HEALTHY or name not in taught_alike(HEALTHY)
)


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train a patient on the device and take every reading on the CPU, by name: `READINGS`.

    Under ``healthy`` stand by name, too, the diseases whose pipelines train the healthy network and
    ask it wrongly.
    """
    (disease,) = (name for name in PIPELINES if key(name) == variant)
    network, chart = train(config, PIPELINES[disease], trial.seed, trial.device, trial.checkpoint)

    def readings(name: str) -> dict[str, Any]:
        pipeline = PIPELINES[name]
        patient = Patient(
            config, pipeline, network, chart, *sentences(config, pipeline, trial.seed)
        )
        return {key(question): reading.of(patient) for question, reading in READINGS.items()}

    found = readings(disease)
    if disease == HEALTHY:
        found |= {key(name): readings(name) for name in taught_alike(HEALTHY) if name != HEALTHY}
    return Outcome(found)
