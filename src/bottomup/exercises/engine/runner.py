"""One run of an answer on one case, with nothing of it leaking out."""

import inspect
import io
import random
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import torch

from bottomup.exercises.engine.compare import unchanged
from bottomup.exercises.engine.exercise import Case, Exercise, torch_as_it_starts
from bottomup.exercises.engine.limits import Outcome, call_within, uninterrupted
from bottomup.exercises.engine.outcomes import loaded
from bottomup.i18n import _

OUTPUT_LIMIT = 1000  # characters of printed output that are kept
SECONDS = 10.0  # of processor time, for a whole check


@dataclass(frozen=True)
class Trial:
    """What an answer did on one case.

    Args:
        case: the case.
        value: what it returned.
        error: what it raised, if it did; `OutOfTime` where the time limit stopped it.
        seconds: what it took of its time limit.
        printed: what it printed, capped.
        changed: names of the inputs that it changed.
    """

    case: Case
    value: Any = None
    error: BaseException | None = None
    seconds: float = 0.0
    printed: str = ""
    changed: tuple[str, ...] = ()

    @property
    def returned(self) -> bool:
        """Whether there is a value to compare."""
        return self.error is None


def attempt(
    exercise: Exercise, answer: Callable[..., Any], case: Case, *, seconds: float | None = None
) -> Trial:
    """Run `answer` on a fresh copy of `case`, isolated, for at most `seconds` of processor time.

    Without `seconds` there is no limit: the course's own answers end, and a Ctrl-C waits for them.

    Printed output is kept apart and capped, warnings are ignored, and the states of torch's,
    NumPy's and Python's global generators, the default dtype and the gradient mode are put back.
    For the run the global generators are seeded, since a report on an answer that samples is to be
    stable, and torch is as it starts.
    """
    original, used = case.fresh(), case.fresh()
    before, after = original.inputs, used.inputs
    with contained() as output:
        outcome = _call(lambda: exercise.run(answer, used), seconds)
    if inspect.iscoroutine(outcome.value):
        outcome.value.close()
    changed = tuple(name for name in before if not _is_unchanged(before[name], after[name]))
    return Trial(case, outcome.value, outcome.error, outcome.seconds, output.text(), changed)


def _call(function: Callable[[], Any], seconds: float | None) -> Outcome:
    if seconds is not None:
        return call_within(function, seconds)
    with uninterrupted():
        try:
            return Outcome(function())
        except BaseException as error:  # a Ctrl-C is none of these: it waits
            return Outcome(error=error)


def expected_values(exercise: Exercise) -> tuple[Any, ...]:
    """Return what the solution gives on each case.

    It runs before an answer does: what PyTorch loads when it is first used, it loads here, and no
    clock is running.

    Raises:
        RuntimeError: the solution raised, with what it raised as the cause.
    """
    return _expected_values(exercise, torch.get_default_device())


@cache
def _expected_values(exercise: Exercise, _default: torch.device) -> tuple[Any, ...]:
    """Once for each of torch's default devices, on which a case makes its inputs."""
    if known := loaded(exercise):
        return known.expected
    values = []
    for case in exercise.cases:
        trial = attempt(exercise, exercise.solution, case)
        if trial.error is not None:
            raise RuntimeError(f"{exercise.slug}: the solution failed on {case.name!r}") from (
                trial.error
            )
        values.append(trial.value)
    return tuple(values)


def disagreement(exercise: Exercise, got: Any, expected: Any, case: Case) -> str | None:
    """Return the exercise's sentence on how two values differ; None where they agree."""
    with contained():
        return compared(exercise, got, expected, case)


def compared(exercise: Exercise, got: Any, expected: Any, case: Case) -> str | None:
    """Return the same inside a `contained` of the caller's, for whoever compares many values."""
    try:
        return exercise.compare(got, expected, case)
    except Exception as error:
        sentence = _("The result cannot be compared with the expected one ({error}).")
        return sentence.format(error=type(error).__name__)


class _CappedOutput(io.TextIOBase):
    """A text stream that keeps the first characters and counts the others."""

    def __init__(self) -> None:
        self._kept: list[str] = []
        self._room = OUTPUT_LIMIT
        self._dropped = 0

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        part = text[: self._room]
        if part:
            self._kept.append(part)
        self._room -= len(part)
        self._dropped += len(text) - len(part)
        return len(text)

    def text(self) -> str:
        kept = "".join(self._kept)
        if self._dropped:
            kept += _(" … ({count} characters more)").format(count=self._dropped)
        return kept


@contextmanager
def contained(seed: int = 0) -> Iterator[_CappedOutput]:
    """Keep output apart, ignore warnings, and put back whatever global state the block changes.

    Inside the block torch is as it starts, as where the cases' inputs are made.

    Args:
        seed: of the global generators inside the block.
    """
    output = _CappedOutput()
    with ExitStack() as stack:
        stack.enter_context(_global_state_restored(seed))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        stack.enter_context(redirect_stdout(output))
        stack.enter_context(redirect_stderr(output))
        yield output


@contextmanager
def _global_state_restored(seed: int) -> Iterator[None]:
    python_state, numpy_state = random.getstate(), np.random.get_state()
    gradients = torch.is_grad_enabled()
    initialized = torch.cuda.is_initialized()
    devices = range(torch.cuda.device_count()) if initialized else ()
    try:
        with torch_as_it_starts(), torch.random.fork_rng(devices=devices):
            torch.default_generator.manual_seed(
                seed
            )  # torch.manual_seed also queues calls for CUDA
            random.seed(seed)
            np.random.seed(seed)
            yield
    finally:
        random.setstate(python_state)
        np.random.set_state(numpy_state)
        torch.set_grad_enabled(gradients)


def _is_unchanged(before: Any, after: Any) -> bool:
    try:
        return unchanged(before, after)
    except Exception:  # an answer left something that is no longer comparable
        return False
