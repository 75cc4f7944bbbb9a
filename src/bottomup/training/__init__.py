"""Training: device, losses, schedules and the loop."""

from bottomup.training import device
from bottomup.training.device import pick
from bottomup.training.loop import History, TrainingBatch, fit
from bottomup.training.losses import token_cross_entropy
from bottomup.training.modes import evaluating
from bottomup.training.progress import progress_bar
from bottomup.training.schedules import Schedule, constant, warmup_then_decay

__all__ = [
    "History",
    "Schedule",
    "TrainingBatch",
    "constant",
    "device",
    "evaluating",
    "fit",
    "pick",
    "progress_bar",
    "token_cross_entropy",
    "warmup_then_decay",
]
