"""The training loop: one function, the same for every model of the course."""

import math
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor, nn

from bottomup.checks import check_integer, check_number
from bottomup.training.checkpoint import (
    describe_run,
    load_checkpoint,
    save_checkpoint,
)
from bottomup.training.generators import Generators
from bottomup.training.interrupt import held_interrupt
from bottomup.training.modes import keeping_mode
from bottomup.training.progress import progress_bar
from bottomup.training.schedules import Schedule, constant


@runtime_checkable
class TrainingBatch(Protocol):
    """What `fit` asks of a batch; `data.Batch` and `data.LabelledBatch` offer it."""

    @property
    def tokens(self) -> int:
        """Number of real target tokens."""

    def to(self, device: torch.device | str) -> "TrainingBatch":
        """Return the batch on another device."""


Loss = Callable[[nn.Module, Any], Tensor]
OnStep = Callable[[int, "History"], None]


@dataclass
class History:
    """What happened in training, one entry a step.

    Attributes:
        loss: the batch's loss before the update, as the loss function gives it.
        grad_norm: Euclidean norm of the gradients of the optimizer's parameters, before clipping.
        learning_rate: the first parameter group's learning rate.
        tokens: number of real target tokens in the batch.
        seconds: what the step took: the process's processor time on a CPU, time on a GPU. They
            differ between two runs of one training, and do not count when histories are compared.
    """

    loss: list[float] = field(default_factory=list)
    grad_norm: list[float] = field(default_factory=list)
    learning_rate: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list, compare=False)

    def __len__(self) -> int:
        return len(self.loss)

    def append(
        self,
        *,
        loss: float,
        grad_norm: float,
        learning_rate: float,
        tokens: int,
        seconds: float,
    ) -> None:
        """Add one step."""
        self.loss.append(loss)
        self.grad_norm.append(grad_norm)
        self.learning_rate.append(learning_rate)
        self.tokens.append(tokens)
        self.seconds.append(seconds)


def fit(
    model: nn.Module,
    batches: Callable[[int], TrainingBatch],
    *,
    steps: int,
    loss: Loss,
    optimizer: torch.optim.Optimizer,
    schedule: Schedule | None = None,
    max_norm: float | None = 1.0,
    seed: int = 0,
    checkpoint: str | Path | None = None,
    checkpoint_every: int = 200,
    on_step: OnStep | None = None,
) -> History:
    """Train `model` in place and return what happened at each step.

    One step: the gradient of ``loss(model, batches(step))``, clipped to `max_norm`, then
    ``optimizer.step()`` at the optimizer's learning rate times ``schedule(step)``. Batches are
    moved to the model's device.

    With a `checkpoint`, training that was stopped goes on where the file left off, and ends with
    the same parameters, bit for bit, as training that was never stopped (on the same device). A
    finished run is read from the file at once. The file knows the run by its steps, seed,
    `max_norm`, optimizer with its options, and parameter shapes, and not by its data, loss or
    schedule: give a run with other data another path. Ctrl-C ends the running step, saves, and
    raises `KeyboardInterrupt`; a second Ctrl-C stops at once, and the last saved file stays.

    Parameters that the optimizer does not hold stay as they are.

    The caller's random numbers, the model's mode and the optimizer's learning rates are afterwards
    what they were.

    Args:
        model: the module to train; it has at least one parameter.
        batches: gives the batch of a step, the same each time it is asked (`BatchStream`).
        steps: number of steps in all, counted from 0.
        loss: gives a scalar.
        optimizer: holds parameters of `model`, ``torch.optim.Adam(model.parameters(), lr=1e-3)``.
        schedule: gives the factor of the learning rate at a step, a number of at least 0; by
            default 1.
        max_norm: largest Euclidean norm of the gradients of all groups together; None does not
            clip.
        seed: seeds torch's generators for dropout and the like.
        checkpoint: file to write and to go on from.
        checkpoint_every: steps between two writes; the last step always writes.
        on_step: called after each step with its number and the history so far, for evaluation.
            Random numbers drawn in it do not influence training.

    Raises:
        TypeError, ValueError: a bad argument, a checkpoint of another run, a batch, loss or factor
            that is none, or a loss without gradient, as under ``torch.no_grad()``.
        FloatingPointError: loss or gradient is infinite or NaN; names the step. The parameters are
            those before the step.
        KeyboardInterrupt: Ctrl-C, after the running step.
    """
    check_integer("steps", steps, at_least=1)
    check_integer("seed", seed, at_least=0)
    check_integer("checkpoint_every", checkpoint_every, at_least=1)
    if max_norm is not None:
        check_number("max_norm", max_norm, above=0.0)
    if checkpoint is not None and not isinstance(checkpoint, str | os.PathLike):
        raise TypeError(f"checkpoint: expected a path, got {checkpoint!r}")
    schedule = constant if schedule is None else schedule
    _check_functions(batches=batches, loss=loss, schedule=schedule)
    if on_step is not None:
        _check_functions(on_step=on_step)
    _check_parameters(model, optimizer)
    training = _Training(model, batches, loss, optimizer, schedule, max_norm)
    run = describe_run(
        model, optimizer, steps=steps, seed=seed, max_norm=max_norm
    )
    path = None if checkpoint is None else Path(checkpoint)

    def save() -> None:
        if path is not None:
            save_checkpoint(path, run, training.state())

    with (
        training.generators.forked(),
        keeping_mode(model),
        held_interrupt() as interrupted,
    ):
        try:
            training.generators.seed(seed)
            if path is not None and path.exists():
                training.restore(load_checkpoint(path, run))
            _take_steps(
                training, steps, save, checkpoint_every, on_step, interrupted
            )
        finally:
            _set_rates(optimizer, training.rates)
    return training.history


def _take_steps(
    training: "_Training",
    steps: int,
    save: Callable[[], None],
    save_every: int,
    on_step: OnStep | None,
    interrupted: Callable[[], bool],
) -> None:
    """Take the steps that are left; save now and then, at the end and on Ctrl-C."""
    between_steps = (
        False  # only then is the state that of whole steps, and worth saving
    )
    done = len(training.history)
    try:
        with progress_bar(total=steps, done=done, label="training") as bar:
            for step in range(done, steps):
                between_steps = False
                training.take(step)
                between_steps = True
                bar.update()
                if on_step is not None:
                    with training.generators.forked():
                        on_step(step, training.history)
                if interrupted():
                    raise KeyboardInterrupt
                if (step + 1) % save_every == 0 or step + 1 == steps:
                    save()
    except KeyboardInterrupt:
        if between_steps:
            save()
        raise


class _Training:
    """A model in training: takes single steps, and gives and takes back its state."""

    def __init__(
        self,
        model: nn.Module,
        batches: Callable[[int], TrainingBatch],
        loss: Loss,
        optimizer: torch.optim.Optimizer,
        schedule: Schedule,
        max_norm: float | None,
    ) -> None:
        self.model, self.batches, self.loss = model, batches, loss
        self.optimizer, self.schedule = optimizer, schedule
        self.limit = math.inf if max_norm is None else max_norm
        self.rates: list[float] = [
            group["lr"] for group in optimizer.param_groups
        ]
        self.parameters = [
            p for group in optimizer.param_groups for p in group["params"]
        ]
        self.device = next(model.parameters()).device
        self.clock = (
            time.process_time
            if self.device.type == "cpu"
            else time.perf_counter
        )
        self.generators = Generators(model)
        self.history = History()

    def take(self, step: int) -> None:
        """Take one step and add it to the history."""
        start = self.clock()
        factor = self.schedule(step)
        check_number(f"schedule({step})", factor, at_least=0, below=math.inf)
        # Numbers of Python: a checkpoint that holds NumPy's cannot be read back.
        rates = [float(rate * factor) for rate in self.rates]
        _set_rates(self.optimizer, rates)
        self.model.train()
        batch = self.batches(step)
        if not isinstance(batch, TrainingBatch):
            raise TypeError(
                f"batches({step}): expected a Batch, got {type(batch).__name__}"
            )
        tokens = (
            batch.tokens
        )  # counted here: on a GPU it would wait for all work so far
        loss, norm = self._update(batch.to(self.device), step)
        seconds = self.clock() - start
        self.history.append(
            loss=loss,
            grad_norm=norm,
            learning_rate=rates[0],
            tokens=tokens,
            seconds=seconds,
        )

    def _update(self, batch: TrainingBatch, step: int) -> tuple[float, float]:
        """Change the parameters; return loss and gradient norm before it."""
        self.model.zero_grad()
        value = self.loss(self.model, batch)
        _check_loss(value)
        loss = _finite("loss", value, step)
        value.backward()
        norm = nn.utils.clip_grad_norm_(self.parameters, self.limit)
        grad_norm = _finite("gradient norm", norm, step)
        self.optimizer.step()
        return loss, grad_norm

    def state(self) -> dict[str, Any]:
        """Return what training goes on from."""
        return {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "history": asdict(self.history),
            "generators": self.generators.states(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from the state of an earlier run."""
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.generators.restore(state["generators"])
        self.history = History(**state["history"])


def _set_rates(optimizer: torch.optim.Optimizer, rates: list[float]) -> None:
    for group, rate in zip(optimizer.param_groups, rates, strict=True):
        group["lr"] = rate


def _finite(name: str, value: Tensor, step: int) -> float:
    """Read a number from the device, once."""
    number = float(value.item())
    if not math.isfinite(number):
        raise FloatingPointError(f"step {step}: the {name} is {number}")
    return number


def _check_loss(value: Tensor) -> None:
    if not isinstance(value, Tensor) or value.numel() != 1:
        raise ValueError(
            f"loss: expected a scalar tensor from loss(model, batch), got {value!r}"
        )
    if not value.requires_grad:
        raise ValueError(
            f"loss: expected a tensor with a gradient, got {value!r}; "
            "is it detached, or does fit run under torch.no_grad()?"
        )


def _check_functions(**arguments: object) -> None:
    for name, value in arguments.items():
        if not callable(value):
            raise TypeError(f"{name}: expected a function, got {value!r}")


def _check_parameters(
    model: nn.Module, optimizer: torch.optim.Optimizer
) -> None:
    """Check that the optimizer holds parameters of the model and no others."""
    if not isinstance(model, nn.Module):
        raise TypeError(f"model: expected a torch.nn.Module, got {model!r}")
    if not isinstance(optimizer, torch.optim.Optimizer):
        raise TypeError(
            f"optimizer: expected a torch.optim.Optimizer, got {optimizer!r}"
        )
    known = {id(parameter) for parameter in model.parameters()}
    if not known:
        raise ValueError("model: expected a module with at least one parameter")
    held = {
        id(parameter)
        for group in optimizer.param_groups
        for parameter in group["params"]
    }
    if not held <= known:
        raise ValueError(
            "optimizer: expected the parameters of `model`, got others"
        )
