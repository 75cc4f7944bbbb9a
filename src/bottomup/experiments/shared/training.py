"""How most experiments train: from a seed, with Adam, at a rate that rises and falls."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

import torch
from torch import nn

from bottomup.experiments.engine.units import Trial
from bottomup.training import History, TrainingBatch, fit, warmup_then_decay
from bottomup.training.step_loss import Loss


class Pace(Protocol):
    """What a configuration says of its trainings."""

    @property
    def warmup(self) -> int:
        """Steps in which the learning rate rises."""

    @property
    def learning_rate(self) -> float:
        """The largest learning rate."""


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Draw from a seed inside; the caller's random numbers stay as they are."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


def fit_adam(
    model: nn.Module,
    batches: Callable[[int], TrainingBatch],
    loss: Loss,
    pace: Pace,
    trial: Trial,
    *,
    steps: int,
    betas: tuple[float, float] = (0.9, 0.999),
) -> History:
    """Train what is not frozen with Adam; the learning rate rises, then falls to 0."""
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    return fit(
        model,
        batches,
        steps=steps,
        loss=loss,
        optimizer=torch.optim.Adam(trained, lr=pace.learning_rate, betas=betas),
        schedule=warmup_then_decay(warmup=pace.warmup, steps=steps),
        seed=trial.seed,
        checkpoint=trial.checkpoint,
    )
