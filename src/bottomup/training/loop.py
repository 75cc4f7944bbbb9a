"""The training loop: one function, the same for every model of the course."""

import math
from collections.abc import Callable
from typing import Unpack

import torch
from torch import nn

from bottomup.checks import check_function
from bottomup.training.rehearsal import is_rehearsal, rehearse
from bottomup.training.run import History, Options, Run, check_options
from bottomup.training.schedules import Schedule, constant
from bottomup.training.step_loss import (
    Loss,
    StepLoss,
    TrainingBatch,
    check_batches,
    check_loss,
)

__all__ = ["TrainingBatch", "fit"]


def fit(
    model: nn.Module,
    batches: Callable[[int], TrainingBatch],
    *,
    steps: int,
    loss: Loss,
    optimizer: torch.optim.Optimizer,
    schedule: Schedule | None = None,
    max_norm: float | None = 1.0,
    **options: Unpack[Options],
) -> History:
    """Train `model` in place and return what happened at each step.

    One step: the gradient of ``loss(model, batches(step))``, clipped to
    `max_norm`, then ``optimizer.step()`` at the optimizer's learning rate times
    ``schedule(step)``. Batches are moved to the model's device.

    Started by ``torchrun``, each process takes rows of every batch, and their
    gradients are summed, weighted by `tokens` (`bottomup.training.ranks`). So
    all ends as in one process, up to rounding, but for dropout, which every
    process draws for itself. Process 0 keeps the checkpoint, from which another
    number of processes can go on.

    Parameters that the optimizer does not hold stay as they are. The caller's
    random numbers, the model's mode and the optimizer's learning rates are
    afterwards what they were.

    Args:
        model: the module to train; it has at least one parameter.
        batches: gives the batch of a step, the same each time it is asked
            (`BatchStream`).
        steps: number of steps in all, counted from 0.
        loss: gives a scalar with a gradient.
        optimizer: holds parameters of `model`,
            ``torch.optim.Adam(model.parameters(), lr=1e-3)``.
        schedule: gives the factor of the learning rate at a step, a number of
            at least 0; by default 1.
        max_norm: largest Euclidean norm of the gradients of all groups
            together; None does not clip.
        options: seed, accumulate, precision, checkpoint, checkpoint_every and
            on_step, which `Options` describes.

    Raises:
        FloatingPointError: loss or gradient is infinite or NaN; names the step.
            The parameters are those before the step.
        KeyboardInterrupt: Ctrl-C, after the running step.

    Example:
        >>> import torch
        >>> from torch import nn
        >>> from bottomup.training import VectorBatch, fit
        >>> model = nn.Linear(1, 1, bias=False)
        >>> batch = VectorBatch(torch.ones(5, 1))
        >>> history = fit(
        ...     model,
        ...     lambda step: batch,
        ...     steps=40,
        ...     loss=lambda model, batch: (model(batch.x) - 3).square().mean(),
        ...     optimizer=torch.optim.SGD(model.parameters(), lr=0.2),
        ...     max_norm=None,
        ... )
        >>> len(history), round(model.weight.item(), 3)
        (40, 3.0)
    """
    schedule = constant if schedule is None else schedule
    check_batches(batches)
    check_loss(loss)
    check_function("schedule", schedule)
    check_options(options)
    whole = Run(model, optimizer, steps=steps, max_norm=max_norm, **options)
    total = StepLoss(model, loss, batches, whole.accumulate, whole.precise)

    def train(run: Run) -> History:
        with run.started() as history:
            for step in run.steps():
                start = run.clock()
                rate = run.scale_rates(step, schedule(step))
                model.train()
                model.zero_grad()
                value, tokens = total.backward(step)
                value = _finite("loss", value, step)
                norm = nn.utils.clip_grad_norm_(run.parameters, run.max_norm)
                norm_now = _finite("gradient norm", norm.item(), step)
                optimizer.step()
                history.append(
                    loss=value,
                    grad_norm=norm_now,
                    learning_rate=rate,
                    tokens=tokens,
                    seconds=run.clock() - start,
                )
        return history

    return rehearse(train, whole) if is_rehearsal() else train(whole)


def _finite(name: str, number: float, step: int) -> float:
    if not math.isfinite(number):
        raise FloatingPointError(f"step {step}: the {name} is {number}")
    return number
