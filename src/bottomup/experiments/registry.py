"""Every experiment by its name."""

from bottomup.experiments import (
    attention,
    attention_reversal,
    local_and_hard_attention,
    local_and_hard_attention_gradients,
    self_attention,
)
from bottomup.experiments.runner import Experiment

ALL = (
    attention.EXPERIMENT,
    attention_reversal.EXPERIMENT,
    local_and_hard_attention.EXPERIMENT,
    local_and_hard_attention_gradients.EXPERIMENT,
    self_attention.EXPERIMENT,
)

EXPERIMENTS: dict[str, Experiment] = {experiment.name: experiment for experiment in ALL}
