"""What stands behind the training loop: a run that can be stopped and go on."""

import copy
import math
import os
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal, TypedDict

import torch
from torch import nn

from bottomup.checks import (
    check_choice,
    check_function,
    check_integer,
    check_number,
)
from bottomup.training import ranks
from bottomup.training.checkpoint import (
    describe_run,
    load_checkpoint,
    save_checkpoint,
)
from bottomup.training.generators import Generators
from bottomup.training.interrupt import held_interrupt
from bottomup.training.modes import keeping_mode
from bottomup.training.progress import progress_bar

OnStep = Callable[[int, "History"], None]
Precision = Literal["bf16"]


@dataclass
class History:
    """What happened in training, one entry a step.

    Attributes:
        loss: the batch's loss before the update, as the loss function gives it.
        grad_norm: Euclidean norm of the gradients of the optimizer's
            parameters, before clipping.
        learning_rate: the first parameter group's learning rate.
        tokens: those of the batch, as it counts them.
        seconds: what the step took: the process's processor time on a CPU, time
            on a GPU. They differ between two runs of one training, and do not
            count when histories are compared.
    """

    loss: list[float] = field(default_factory=list)
    grad_norm: list[float] = field(default_factory=list)
    learning_rate: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list, compare=False)

    def __len__(self) -> int:
        return len(self.loss)

    def append(self, **step: int | float) -> None:
        """Add one step: a number for each attribute."""
        for name, entries in vars(self).items():
            entries.append(step[name])


class Options(TypedDict, total=False):
    """What `fit` takes beside the step itself; each may be left out.

    Attributes:
        seed: seeds torch's generators for dropout and the like; by default 0.
        accumulate: number k of batches in a step, by default 1. Where a batch
            is larger than memory, k smaller ones do its work: step s takes the
            batches ks to ks + k - 1.
        precision: "bf16" computes the loss in bfloat16 where that is known to
            do no harm (``torch.autocast``); parameters, their gradients and the
            optimizer stay as they are. None computes all in the model's dtype.
        checkpoint: file to write and to go on from. Training that was stopped
            goes on where the file left off, and ends with the same parameters,
            bit for bit, as training that was never stopped (on the same
            device). A finished run is read from the file at once. The file
            knows the run by its steps, seed, `max_norm`, `accumulate`,
            `precision`, optimizer with its options, and parameter shapes, and
            not by its data, loss or schedule: give a run with other data
            another path. Ctrl-C ends the running step, saves, and raises
            `KeyboardInterrupt`; a second Ctrl-C stops at once, and the last
            saved file stays.
        checkpoint_every: steps between two writes, by default 200; the last
            step always writes.
        on_step: called after each step with its number and the history so far,
            for evaluation. Random numbers drawn in it do not influence
            training.
    """

    seed: int
    accumulate: int
    precision: Precision | None
    checkpoint: str | Path | None
    checkpoint_every: int
    on_step: OnStep | None


def check_options(given: Collection[str]) -> None:
    """Refuse a name that is not among the `Options` of `fit`."""
    known = Options.__annotations__
    for name in given:
        if name not in known:
            device = "; the model's device is used, give model.to(device)"
            hint = device if name == "device" else ""
            raise TypeError(
                f"fit: expected no options but {', '.join(known)}, "
                f"got {name}{hint}"
            )


class Run:
    """The steps of one training, and what it saves, goes on from and puts back.

    A run is used once: ``with run.started() as history: for step in
    run.steps(): ...``. `fit` and `Options` describe the arguments.

    Attributes:
        parameters: those of the optimizer, the ones that change.
        device: the model's.
        clock: gives seconds; the process's own on a CPU.
    """

    def __init__(
        self,
        model: nn.Module,
        optimizer: torch.optim.Optimizer,
        *,
        steps: int,
        max_norm: float | None,
        seed: int = 0,
        accumulate: int = 1,
        precision: Precision | None = None,
        checkpoint: str | Path | None = None,
        checkpoint_every: int = 200,
        on_step: OnStep | None = None,
    ) -> None:
        check_integer("steps", steps, at_least=1)
        check_integer("seed", seed, at_least=0, below=2**63)
        check_integer("accumulate", accumulate, at_least=1)
        check_choice("precision", precision, ("bf16", None))
        check_integer("checkpoint_every", checkpoint_every, at_least=1)
        if max_norm is not None:
            check_number("max_norm", max_norm, above=0.0)
        if not isinstance(checkpoint, str | os.PathLike | None):
            raise TypeError(f"checkpoint: expected a path, got {checkpoint!r}")
        if on_step is not None:
            check_function("on_step", on_step)
        # Numbers of Python: a checkpoint with NumPy's cannot be read back.
        steps, seed, accumulate = int(steps), int(seed), int(accumulate)
        max_norm = None if max_norm is None else float(max_norm)
        _check_parameters(model, optimizer)
        self.model, self.optimizer, self.on_step = model, optimizer, on_step
        self.total, self.seed, self.save_every = steps, seed, checkpoint_every
        self.path = None if checkpoint is None else Path(checkpoint)
        self.description = describe_run(
            model,
            optimizer,
            steps=steps,
            seed=seed,
            max_norm=max_norm,
            accumulate=accumulate,
            precision=precision,
        )
        self.precision, self.accumulate = precision, accumulate
        self.max_norm = math.inf if max_norm is None else max_norm
        groups = optimizer.param_groups
        self.parameters = [p for group in groups for p in group["params"]]
        self.rates: list[float] = [group["lr"] for group in groups]
        self.device = next(model.parameters()).device
        on_cpu = self.device.type == "cpu"
        self.clock = time.process_time if on_cpu else time.perf_counter
        self.generators = Generators(model)
        self.history = History()
        self.between_steps = False  # the state is worth saving only then

    def shortened(self, steps: int, on_step: OnStep | None) -> "Run":
        """Return the same run with fewer steps, which saves nothing."""
        few = copy.copy(self)
        few.total, few.on_step, few.path = steps, on_step, None
        few.history = History()
        return few

    @contextmanager
    def started(self) -> Iterator[History]:
        """Seed, or go on from the file; on the way out put back what changed.

        Ctrl-C between two steps saves.
        """
        with (
            self.generators.forked(),
            keeping_mode(self.model),
            held_interrupt() as self.interrupted,
        ):
            try:
                self.generators.seed(self.seed)
                self._load()
                yield self.history
            except KeyboardInterrupt:
                if self.between_steps:
                    self._save()
                raise
            finally:
                self._set_rates(self.rates)

    def steps(self) -> Iterator[int]:
        """Give the number of each step that is left; after it, see to the rest.

        That is the bar, `on_step`, Ctrl-C and the checkpoint, in this order.
        """
        done = len(self.history)
        with progress_bar(
            total=self.total, done=done, label="training"
        ) as progress:
            for step in range(done, self.total):
                self.between_steps = False
                yield step
                self.between_steps = True
                progress.update()
                if self.on_step is not None:
                    with self.generators.forked():
                        self.on_step(step, self.history)
                if ranks.summed(self.interrupted()):
                    raise KeyboardInterrupt
                taken = step + 1
                if taken % self.save_every == 0 or taken == self.total:
                    self._save()

    def precise(self) -> torch.autocast:
        """Return where the loss is computed: in bfloat16, if asked for."""
        return torch.autocast(
            self.device.type,
            dtype=torch.bfloat16,
            enabled=self.precision == "bf16",
        )

    def scale_rates(self, step: int, factor: float) -> float:
        """Learn at `factor` times the optimizer's rates; return the first."""
        check_number(f"schedule({step})", factor, at_least=0, below=math.inf)
        # Numbers of Python: a checkpoint with NumPy's cannot be read back.
        rates = [float(rate * factor) for rate in self.rates]
        for rate in rates:  # a step of it is one in float32
            check_number(f"schedule({step}) * lr", rate, at_most=1e38)
        self._set_rates(rates)
        return rates[0]

    def _set_rates(self, rates: list[float]) -> None:
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = rate

    def _save(self) -> None:
        if self.path is not None and ranks.rank() == 0:
            state = {
                "model": self.model.state_dict(),
                "optimizer": self.optimizer.state_dict(),
                "history": asdict(self.history),
                "generators": self.generators.states(),
            }
            save_checkpoint(self.path, self.description, state)

    def _load(self) -> None:
        state = None
        if self.path is not None and self.path.exists():
            state = load_checkpoint(self.path, self.description)
        state = ranks.same(state)
        if state is not None:
            self.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.generators.restore(state["generators"])
            self.history = History(**state["history"])
        if ranks.rank() > 0:  # dropout draws otherwise than in process 0
            self.generators.seed(self.seed + ranks.rank() * self.total)


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
    groups = optimizer.param_groups
    if not {id(p) for group in groups for p in group["params"]} <= known:
        wanted = "the parameters of `model`"
        raise ValueError(f"optimizer: expected {wanted}, got others")
