"""Training: device, losses, schedules and the loop."""

from bottomup.training import device
from bottomup.training.autoencoder import (
    VectorBatch,
    fit_autoencoder,
    keep_unit_norm,
)
from bottomup.training.device import pick
from bottomup.training.label_smoothing import smoothed_cross_entropy
from bottomup.training.loop import TrainingBatch, fit
from bottomup.training.losses import token_cross_entropy
from bottomup.training.modes import evaluating
from bottomup.training.progress import progress_bar
from bottomup.training.run import History, Options
from bottomup.training.schedules import Schedule, constant, warmup_then_decay
from bottomup.training.superposition import (
    Solutions,
    fit_superposition,
    fresh_loss,
    solve_superposition,
)
from bottomup.training.warmup_schedules import inverse_square_root, linear, noam

__all__ = [
    "History",
    "Options",
    "Schedule",
    "Solutions",
    "TrainingBatch",
    "VectorBatch",
    "constant",
    "device",
    "evaluating",
    "fit",
    "fit_autoencoder",
    "fit_superposition",
    "fresh_loss",
    "inverse_square_root",
    "keep_unit_norm",
    "linear",
    "noam",
    "pick",
    "progress_bar",
    "smoothed_cross_entropy",
    "solve_superposition",
    "token_cross_entropy",
    "warmup_then_decay",
]


def __dir__() -> list[str]:
    return __all__
