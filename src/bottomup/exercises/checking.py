"""`check`: run an answer on every case and say what was found."""

import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from torch import Tensor

from bottomup.checks import check_number
from bottomup.exercises.compare import differs_in_dtype_alone, lacks_gradients
from bottomup.exercises.diagnose import diagnose
from bottomup.exercises.exercise import Exercise, Misconception
from bottomup.exercises.progress_file import remember
from bottomup.exercises.registry import find
from bottomup.exercises.report import Evidence, Report, Status
from bottomup.exercises.runner import SECONDS, Trial, attempt, disagreement
from bottomup.exercises.show import describe_error, first_lines, shorten, show, show_apart
from bottomup.exercises.stub import is_unsolved, methods_of, says_unsolved
from bottomup.i18n import _

ONE_AT_A_TIME = threading.RLock()  # an answer's output and generators are the whole process's
AT_A_GLANCE = 40  # elements of all inputs together

Failure = tuple[Trial, Any, str]  # what the answer did, the expected value, how they differ


def check(slug: str, answer: Any, *, seconds: float = SECONDS) -> Report:
    """Check an answer to an exercise and return a report; remember the result.

    The answer may be anything: what raises, hangs, prints or returns the wrong kind of value is
    reported, not raised. It works on copies of the inputs. A loop in Python is stopped when the
    time is up; one long call into compiled code is not. Ctrl-C interrupts as usual.

    Args:
        slug: the exercise, such as "masked-softmax".
        answer: your function or class itself, without calling it.
        seconds: time limit for the whole check.

    Raises:
        ValueError: no exercise has this slug, or `seconds` is not above 0.
        TypeError: `seconds` is not a number.
    """
    exercise = find(slug)
    check_number("seconds", seconds, above=0)
    with ONE_AT_A_TIME:
        report = examine(exercise, answer, seconds=seconds)
        remember(report)
    return report


def examine(exercise: Exercise, answer: Any, *, seconds: float = SECONDS) -> Report:
    """Return the report on an answer, without remembering it."""
    if is_unsolved(exercise, answer):
        return _unsolved(exercise)
    if not callable(answer):
        return _report(exercise, "failed", _not_callable(exercise, answer))
    trials = list(_trials(exercise, answer, seconds))
    if says_unsolved(trials[0].error):
        return _unsolved(exercise)
    if trials[-1].timed_out:
        return _out_of_time(exercise, trials[-1], seconds)
    expected = [attempt(exercise, exercise.solution, case).value for case in exercise.cases]
    failures = [
        (trial, value, sentence)
        for trial, value in zip(trials, expected, strict=True)
        if (sentence := _failure(exercise, answer, trial, value)) is not None
    ]
    changed = [trial for trial in trials if trial.changed]
    # writing to an input in place also breaks gradients: tell the cause
    if changed and all(trial.case.wants_gradients for trial, *_rest in failures):
        return _changes_input(exercise, changed[0])
    if not failures:
        return _passed(exercise)
    return _failed(exercise, trials, expected, failures)


def passes(exercise: Exercise, answer: Callable[..., Any], *, seconds: float = SECONDS) -> bool:
    """Whether an answer is right, without a report: it stops at the first failing case."""
    for trial in _trials(exercise, answer, seconds):
        expected = attempt(exercise, exercise.solution, trial.case).value
        if trial.changed or not trial.returned:
            return False
        if disagreement(exercise, trial.value, expected, trial.case) is not None:
            return False
    return True


def _trials(exercise: Exercise, answer: Callable[..., Any], seconds: float) -> Iterator[Trial]:
    until = time.monotonic() + seconds
    for case in exercise.cases:
        trial = attempt(exercise, answer, case, seconds=until - time.monotonic())
        yield trial
        if trial.timed_out:
            return


def _failure(exercise: Exercise, answer: Any, trial: Trial, expected: Any) -> str | None:
    if trial.error is not None:
        return _describe_raised(exercise, answer, trial.error)
    return disagreement(exercise, trial.value, expected, trial.case)


def _describe_raised(exercise: Exercise, answer: Any, error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return _("Your function calls exit instead of returning a value.")
    if isinstance(error, RecursionError):
        return _("Your function calls itself without end (RecursionError).")
    text = describe_error(error).rstrip(".")
    files = {code.co_filename for code in methods_of(answer).values()}
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename in files]
    if files and not own and isinstance(error, TypeError):
        sentence = _("Your function cannot be called with the arguments of the stub ({error}).")
        return sentence.format(error=text)
    sentence = _("Your function raised {error}").format(error=text)
    line = own[-1].line if own else None
    if not line:
        return f"{sentence}."
    return _("{sentence}, in the line `{line}`.").format(sentence=sentence, line=shorten(line))


def _report(exercise: Exercise, status: Status, message: str, **details: Any) -> Report:
    return Report(exercise.slug, exercise.title, status, message, **details)


def _passed(exercise: Exercise) -> Report:
    message = _("All {count} cases agree with the solution.").format(count=len(exercise.cases))
    return _report(exercise, "passed", message)


def _unsolved(exercise: Exercise) -> Report:
    message = _('Fill in the body and run the cell again. hint("{slug}") gives a first hint.')
    return _report(exercise, "unsolved", message.format(slug=exercise.slug))


def _not_callable(exercise: Exercise, answer: Any) -> str:
    sentence = _("check wants the function itself, without calling it: {line}. It got {got}.")
    got = " ".join(show(answer).split())
    return sentence.format(line=exercise.check_line, got=shorten(got))


def _out_of_time(exercise: Exercise, trial: Trial, seconds: float) -> Report:
    sentence = _(
        "Your function was stopped after {seconds} seconds, on the case: {case}. Does every loop "
        "end?"
    ).format(seconds=f"{seconds:g}", case=trial.case.name)
    if trial.printed:
        sentence = _("{sentence} Your function also prints, and printing takes time.").format(
            sentence=sentence
        )
    return _report(exercise, "failed", sentence)


def _changes_input(exercise: Exercise, trial: Trial) -> Report:
    sentence = _(
        "The values are right, but your function changes its input {names} in place. The caller "
        "would go on with other values than it passed. Write to a new value instead: an operation "
        "whose name ends in _, an assignment to an index or a slice, += and del write in place."
    )
    return _report(exercise, "failed", sentence.format(names=", ".join(trial.changed)))


def _failed(
    exercise: Exercise, trials: Sequence[Trial], expected: Sequence[Any],
    failures: list[Failure],
) -> Report:  # fmt: skip
    found = diagnose(exercise, trials, expected)
    trial, value, sentence = _telling(found, failures) if found else _smallest(failures)
    if found is None:
        agreeing = len(trials) - len(failures)
        message = _("{sentence} {agreeing} of {count} cases agree with the solution.")
        message = message.format(sentence=sentence, agreeing=agreeing, count=len(trials))
        if trial.changed:
            also = _("It also changes its input {names} in place.")
            message = f"{message} {also.format(names=', '.join(trial.changed))}"
        return _report(exercise, "failed", message, evidence=_evidence(trial, value))
    see = _('See "{section}" in chapter {chapter}.')
    see = see.format(section=found.see, chapter=exercise.chapter)
    evidence = _evidence(trial, value, sentence)
    return _report(
        exercise, "failed", found.diagnosis, misconception=found.slug, see=see, evidence=evidence
    )


def _evidence(trial: Trial, expected: Any, sentence: str = "") -> Evidence:
    inputs = tuple((name, show(value)) for name, value in trial.case.fresh().inputs.items())
    got, theirs = None, show(expected)
    if trial.returned:
        got, theirs = show_apart(trial.value, expected)
    return Evidence(trial.case.name, inputs, got, theirs, sentence, first_lines(trial.printed))


def _telling(named: Misconception, failures: list[Failure]) -> Failure:
    """The failure on the misconception's own case, else the smallest with a wrong value."""
    own = [failure for failure in failures if failure[0].case.name == named.case]
    returned = [failure for failure in failures if failure[0].returned]
    return own[0] if own else _smallest(returned or failures)


def _smallest(failures: list[Failure]) -> Failure:
    """The first failure that can be read at a glance, else the one with the smallest inputs.

    Gradients are shown where nothing else fails, or a dtype alone and gradients are lost.
    """
    values = [each for each in failures if not each[0].case.wants_gradients]
    lost = [each for each in failures if _holds(lacks_gradients, each)]
    dtypes_alone = all(_holds(differs_in_dtype_alone, each) for each in values)
    failures = lost if lost and dtypes_alone else values or failures
    sizes = [_elements(dict(trial.case.inputs)) for trial, *_rest in failures]
    readable = [index for index, size in enumerate(sizes) if size <= AT_A_GLANCE]
    return failures[readable[0] if readable else sizes.index(min(sizes))]


def _holds(test: Callable[[Any, Any], bool], failure: Failure) -> bool:
    trial, expected, _sentence = failure
    try:
        return test(trial.value, expected)
    except Exception:  # an answer may return what cannot even be compared
        return False


def _elements(value: Any) -> int:
    if isinstance(value, Tensor):
        return value.numel()
    if isinstance(value, np.ndarray):
        return value.size
    if isinstance(value, dict):
        return _elements(list(value.values()))
    return sum(map(_elements, value)) if isinstance(value, list | tuple | set | frozenset) else 1
