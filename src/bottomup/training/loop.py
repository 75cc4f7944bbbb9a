"""The training loop: one function, the same for every model of the course."""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from bottomup.checks import check_integer, check_number
from bottomup.data import Batch
from bottomup.training.checkpoint import describe_run, load_checkpoint, save_checkpoint
from bottomup.training.generators import Generators
from bottomup.training.interrupt import held_interrupt
from bottomup.training.modes import keeping_mode
from bottomup.training.progress import progress_bar
from bottomup.training.schedules import Schedule, constant


@dataclass
class History:
    """What happened in training, one entry a step.

    Attributes:
        loss: the batch's loss before the update, as the loss function gives it.
        grad_norm: Euclidean norm of all gradients before clipping.
        learning_rate: the first parameter group's learning rate.
        tokens: number of real target tokens in the batch.
    """

    loss: list[float] = field(default_factory=list)
    grad_norm: list[float] = field(default_factory=list)
    learning_rate: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.loss)

    def append(self, *, loss: float, grad_norm: float, learning_rate: float, tokens: int) -> None:
        """Add one step."""
        self.loss.append(loss)
        self.grad_norm.append(grad_norm)
        self.learning_rate.append(learning_rate)
        self.tokens.append(tokens)


def fit(
    model: nn.Module,
    batches: Callable[[int], Batch],
    *,
    steps: int,
    loss: Callable[[nn.Module, Batch], Tensor],
    optimizer: torch.optim.Optimizer,
    schedule: Schedule | None = None,
    max_norm: float | None = 1.0,
    seed: int = 0,
    checkpoint: str | Path | None = None,
    checkpoint_every: int = 200,
    on_step: Callable[[int, History], None] | None = None,
) -> History:
    """Train `model` in place and return what happened at each step.

    One step: the gradient of ``loss(model, batches(step))``, clipped to `max_norm`, then
    ``optimizer.step()`` at the optimizer's learning rate times ``schedule(step)``. Batches are
    moved to the model's device.

    With a `checkpoint`, training that was stopped goes on where the file left off, and ends with
    the same parameters, bit for bit, as training that was never stopped (on the same device). A
    finished run is read from the file at once. The file knows the run by its steps, seed,
    `max_norm`, optimizer, learning rates and parameter shapes, and not by its data, loss or
    schedule: give a run with other data another path. Ctrl-C ends the running step, saves, and
    raises `KeyboardInterrupt`; a second Ctrl-C stops at once, and the last saved file stays.

    The caller's random numbers, the model's mode and the optimizer's learning rates are afterwards
    what they were.

    Args:
        model: the module to train; it has at least one parameter.
        batches: gives the batch of a step, the same each time it is asked (`BatchStream`).
        steps: number of steps in all, counted from 0.
        loss: gives a scalar.
        optimizer: holds parameters of `model`, ``torch.optim.Adam(model.parameters(), lr=1e-3)``.
        schedule: gives the factor of the learning rate at a step; by default 1.
        max_norm: largest Euclidean norm of all gradients together; None does not clip.
        seed: seeds torch's generators for dropout and the like.
        checkpoint: file to write and to go on from.
        checkpoint_every: steps between two writes; the last step always writes.
        on_step: called after each step with its number and the history so far, for evaluation.
            Random numbers drawn in it do not influence training.

    Raises:
        TypeError, ValueError: a bad argument, or a checkpoint of another run.
        FloatingPointError: loss or gradient is infinite or NaN; names the step. The parameters are
            those before the step.
    """
    check_integer("steps", steps, at_least=1)
    check_integer("seed", seed, at_least=0)
    check_integer("checkpoint_every", checkpoint_every, at_least=1)
    if max_norm is not None:
        check_number("max_norm", max_norm, above=0.0)
    device = _check_parameters(model, optimizer)
    path = None if checkpoint is None else Path(checkpoint)
    schedule = schedule or constant
    generators = Generators(model)
    run = describe_run(model, optimizer, steps=steps, seed=seed, max_norm=max_norm)
    rates: list[float] = run["learning rates"]
    history = History()

    def save() -> None:
        if path is not None:
            save_checkpoint(path, run, _state(model, optimizer, history, generators))

    between_steps = False  # only then is the state that of whole steps, and worth saving
    with generators.forked(), keeping_mode(model), held_interrupt() as interrupted:
        try:
            generators.seed(seed)
            if path is not None and path.exists():
                state = load_checkpoint(path, run)
                history = _restore(state, model, optimizer, generators)
            with progress_bar(total=steps, done=len(history), label="training") as bar:
                for step in range(len(history), steps):
                    between_steps = False
                    factor = schedule(step)
                    _set_rates(optimizer, [rate * factor for rate in rates])
                    model.train()
                    batch = batches(step).to(device)
                    value, norm = _update(model, batch, loss, optimizer, max_norm, step)
                    history.append(
                        loss=value,
                        grad_norm=norm,
                        learning_rate=rates[0] * factor,
                        tokens=batch.tokens,
                    )
                    between_steps = True
                    bar.update()
                    if on_step is not None:
                        with generators.forked():
                            on_step(step, history)
                    if interrupted():
                        raise KeyboardInterrupt
                    if (step + 1) % checkpoint_every == 0 or step + 1 == steps:
                        save()
        except KeyboardInterrupt:
            if between_steps:
                save()
            raise
        finally:
            _set_rates(optimizer, rates)
    return history


def _update(
    model: nn.Module,
    batch: Batch,
    loss: Callable[[nn.Module, Batch], Tensor],
    optimizer: torch.optim.Optimizer,
    max_norm: float | None,
    step: int,
) -> tuple[float, float]:
    """Take one optimizer step; return loss and gradient norm before it."""
    optimizer.zero_grad()
    value = loss(model, batch)
    if not isinstance(value, Tensor) or value.numel() != 1:
        raise ValueError(f"loss: expected a scalar tensor from loss(model, batch), got {value!r}")
    _check_finite("loss", value, step)
    value.backward()
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    limit = math.inf if max_norm is None else max_norm
    norm = nn.utils.clip_grad_norm_(parameters, limit)
    _check_finite("gradient norm", norm, step)
    optimizer.step()
    return value.item(), norm.item()


def _check_finite(name: str, value: Tensor, step: int) -> None:
    if not torch.isfinite(value).all():
        raise FloatingPointError(f"step {step}: the {name} is {value.item()}")


def _check_parameters(model: nn.Module, optimizer: torch.optim.Optimizer) -> torch.device:
    """Return the model's device, once the optimizer is known to hold the model's parameters."""
    parameters = list(model.parameters())
    if not parameters:
        raise ValueError("model: expected a module with at least one parameter")
    known = {id(parameter) for parameter in parameters}
    held = {id(parameter) for group in optimizer.param_groups for parameter in group["params"]}
    if not held <= known:
        raise ValueError("optimizer: expected the parameters of `model`, got others")
    return parameters[0].device


def _set_rates(optimizer: torch.optim.Optimizer, rates: list[float]) -> None:
    for group, rate in zip(optimizer.param_groups, rates, strict=True):
        group["lr"] = rate


def _state(
    model: nn.Module, optimizer: torch.optim.Optimizer, history: History, generators: Generators
) -> dict[str, Any]:
    return {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "history": asdict(history),
        "generators": generators.states(),
    }


def _restore(
    state: dict[str, Any], model: nn.Module, optimizer: torch.optim.Optimizer,
    generators: Generators,
) -> History:  # fmt: skip
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    generators.restore(state["generators"])
    return History(**state["history"])
