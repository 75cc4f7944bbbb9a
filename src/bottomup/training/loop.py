"""The training loop: one function, the same for every model of the course."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

import torch
from torch import Tensor, nn

from bottomup.training import ranks
from bottomup.training.rehearsal import is_rehearsal, rehearse
from bottomup.training.run import History, OnStep, Run, check_function
from bottomup.training.schedules import Schedule, constant


@runtime_checkable
class TrainingBatch(Protocol):
    """What `fit` asks of a batch, such as `Batch` and `LabelledBatch`."""

    @property
    def tokens(self) -> int:
        """Number of real target tokens."""

    def to(self, device: torch.device | str) -> "TrainingBatch":
        """Return the batch on another device."""


Loss = Callable[[nn.Module, Any], Tensor]
Precision = Literal["bf16"]


def fit(
    model: nn.Module,
    batches: Callable[[int], TrainingBatch],
    *,
    steps: int,
    loss: Loss,
    optimizer: torch.optim.Optimizer,
    schedule: Schedule | None = None,
    max_norm: float | None = 1.0,
    accumulate: int = 1,
    precision: Precision | None = None,
    seed: int = 0,
    checkpoint: str | Path | None = None,
    checkpoint_every: int = 200,
    on_step: OnStep | None = None,
) -> History:
    """Train `model` in place and return what happened at each step.

    One step: the gradient of ``loss(model, batches(step))``, clipped to
    `max_norm`, then ``optimizer.step()`` at the optimizer's learning rate times
    ``schedule(step)``. Batches are moved to the model's device.

    Where a batch is larger than memory, k smaller ones do its work, one after
    the other: step s takes the batches ks to ks + k - 1, k = `accumulate`, and
    the gradient of ``sum of n_i loss_i / sum of n_i``, n_i the tokens of batch
    i. If the loss is a mean over tokens, that is the loss of all k at once; the
    mean of the k losses would be another one where the n_i differ.

    With a `checkpoint`, training that was stopped goes on where the file left
    off, and ends with the same parameters, bit for bit, as training that was
    never stopped (on the same device). A finished run is read from the file at
    once. The file knows the run by its steps, seed, `max_norm`, `accumulate`,
    `precision`, optimizer with its options, and parameter shapes, and not by
    its data, loss or schedule: give a run with other data another path. Ctrl-C
    ends the running step, saves, and raises `KeyboardInterrupt`; a second
    Ctrl-C stops at once, and the last saved file stays.

    Started by ``torchrun``, each process takes rows of every batch, and their
    gradients are summed, weighted by tokens (`bottomup.training.ranks`). So all
    ends as in one process, up to rounding, but for dropout, which every process
    draws for itself. Process 0 keeps the checkpoint, from which another number
    of processes can go on.

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
        accumulate: number of batches in a step.
        precision: "bf16" computes the loss in bfloat16 where that is known to
            do no harm (``torch.autocast``); parameters, their gradients and the
            optimizer stay as they are. None computes all in the model's dtype.
        seed: seeds torch's generators for dropout and the like.
        checkpoint: file to write and to go on from.
        checkpoint_every: steps between two writes; the last step always writes.
        on_step: called after each step with its number and the history so far,
            for evaluation. Random numbers drawn in it do not influence
            training.

    Raises:
        FloatingPointError: loss or gradient is infinite or NaN; names the step.
            The parameters are those before the step.
        KeyboardInterrupt: Ctrl-C, after the running step.
    """
    schedule = constant if schedule is None else schedule
    check_function("batches", batches)
    check_function("loss", loss)
    check_function("schedule", schedule)
    run = Run(
        model,
        optimizer,
        steps=steps,
        seed=seed,
        max_norm=max_norm,
        accumulate=accumulate,
        precision=precision,
        checkpoint=checkpoint,
        checkpoint_every=checkpoint_every,
        on_step=on_step,
    )
    if is_rehearsal():
        return rehearse(
            lambda few, on_step: fit(
                model,
                batches,
                steps=few,
                loss=loss,
                optimizer=optimizer,
                schedule=schedule,
                max_norm=max_norm,
                accumulate=accumulate,
                precision=precision,
                seed=seed,
                on_step=on_step,
            ),
            run,
        )
    largest_norm = math.inf if max_norm is None else max_norm
    shared = ranks.SharedLoss(model, loss)
    with run.started() as history:
        for step in run.steps():
            start = run.clock()
            rate = run.scale_rates(step, schedule(step))
            model.train()
            first = step * accumulate
            parts = [batches(first + i) for i in range(accumulate)]
            for number, part in enumerate(parts, start=first):
                _check_batch(number, part)
            # Counted before they move: here no GPU makes us wait.
            counts = [part.tokens for part in parts]
            model.zero_grad()
            loss_now = 0.0
            for part, share in zip(parts, _shares(counts), strict=True):
                rows, of_tokens = ranks.rows_of(part)
                with run.precise():
                    value = shared(rows.to(run.device))  # a scalar
                _check_loss(value)
                loss_now += share * of_tokens * float(value.item())
                (share * of_tokens * ranks.world() * value).backward()
            loss_now = _finite("loss", ranks.summed(loss_now), step)
            norm = nn.utils.clip_grad_norm_(run.parameters, largest_norm)
            norm_now = _finite("gradient norm", norm.item(), step)
            optimizer.step()
            history.append(
                loss=loss_now,
                grad_norm=norm_now,
                learning_rate=rate,
                tokens=sum(counts),
                seconds=run.clock() - start,
            )
    return history


def _finite(name: str, number: float, step: int) -> float:
    if not math.isfinite(number):
        raise FloatingPointError(f"step {step}: the {name} is {number}")
    return number


def _check_batch(number: int, batch: object) -> None:
    if not isinstance(batch, TrainingBatch):
        kind = type(batch).__name__
        raise TypeError(f"batches({number}): expected a Batch, got {kind}")


def _shares(counts: list[int]) -> list[float]:
    """Return each batch's part of all tokens; without any, even parts."""
    total = sum(counts)
    return [n / total if total else 1 / len(counts) for n in counts]


def _check_loss(value: object) -> None:
    if not isinstance(value, Tensor) or value.numel() != 1:
        wanted = "a scalar tensor from loss(model, batch)"
        raise ValueError(f"loss: expected {wanted}, got {value!r}")
    if not value.requires_grad:
        raise ValueError(
            f"loss: expected a tensor with a gradient, got {value!r}; "
            "is it detached, or does fit run under torch.no_grad()?"
        )
