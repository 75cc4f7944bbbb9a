"""Every experiment by its name."""

from bottomup.experiments import attention, attention_reversal
from bottomup.experiments.runner import Experiment

ALL = (attention.EXPERIMENT, attention_reversal.EXPERIMENT)

EXPERIMENTS: dict[str, Experiment] = {experiment.name: experiment for experiment in ALL}
