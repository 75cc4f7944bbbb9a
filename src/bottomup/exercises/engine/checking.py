"""`check`: run an answer on every case and say what was found."""

import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from bottomup.checks import check_number
from bottomup.exercises.engine import limits
from bottomup.exercises.engine.diagnose import Diagnosis, diagnose
from bottomup.exercises.engine.evidence import Failure, evidence_of, smallest, telling, with_place
from bottomup.exercises.engine.exercise import Case, Exercise
from bottomup.exercises.engine.progress_file import remember
from bottomup.exercises.engine.registry import find
from bottomup.exercises.engine.report import Report, Status
from bottomup.exercises.engine.runner import (
    SECONDS,
    Trial,
    attempt,
    compared,
    contained,
    disagreement,
    expected_values,
)
from bottomup.exercises.engine.show import describe_error, shorten, show
from bottomup.exercises.engine.stub import is_unsolved, methods_of, says_unsolved
from bottomup.i18n import _

ONE_AT_A_TIME = threading.RLock()  # an answer's output and generators are the whole process's


def check(slug: str, answer: Any, *, seconds: float = SECONDS) -> Report:
    """Check an answer to an exercise and return a report; remember the result.

    The answer may be anything: what raises, hangs, prints or returns the wrong kind of value is
    reported, not raised. It works on copies of the inputs. A loop in Python is stopped when the
    time is up; one long call into compiled code is not. Ctrl-C interrupts as usual. Where the check
    itself fails, as it does with a PyTorch that an interrupt left half loaded, the report says so.

    Args:
        slug: the exercise, such as "masked-softmax".
        answer: your function or class itself, without calling it.
        seconds: limit on the processor time of the whole check, without that of loading modules.
    """
    exercise = find(slug)
    check_number("seconds", seconds, above=0)
    with ONE_AT_A_TIME:
        try:
            report = examine(exercise, answer, seconds=seconds)
        except Exception as error:
            report = _unchecked(exercise, error)
        remember(report)
    return report


def examine(
    exercise: Exercise, answer: Any, *, seconds: float = SECONDS, known: Diagnosis | None = None
) -> Report:
    """Return the report on an answer, without remembering it.

    Args:
        exercise, answer, seconds: as of `check`.
        known: which form of which mistake the answer is, where that need not be found out.
    """
    if (problem := before_running(exercise, answer)) is not None:
        return problem
    expected = expected_values(exercise)
    trials = list(trials_of(exercise, answer, exercise.cases, seconds))
    if (problem := stopped(exercise, answer, trials, seconds)) is not None:
        return problem
    said = [raised(exercise, answer, trial) for trial in trials]
    return judge(exercise, trials, expected, said, known=known)


def before_running(exercise: Exercise, answer: Any) -> Report | None:
    """Return the report on what cannot be run; None where an answer can."""
    if is_unsolved(exercise, answer):
        return _unsolved(exercise)
    if not callable(answer):
        return _report(exercise, "failed", _not_callable(exercise, answer))
    return None


def stopped(
    exercise: Exercise, answer: Any, trials: Sequence[Trial], seconds: float
) -> Report | None:  # fmt: skip
    """Return the report on an answer that says that it is a stub or was stopped; else None."""
    if says_unsolved(trials[0].error):
        return _unsolved(exercise)
    stop = trials[-1].error
    if isinstance(stop, limits.OutOfTime):
        return _out_of_time(exercise, answer, trials[-1], stop, seconds)
    return None


def judge(
    exercise: Exercise,
    trials: Sequence[Trial],
    expected: Sequence[Any],
    said: Sequence[str | None],
    *,
    known: Diagnosis | None = None,
) -> Report:
    """Return the report on what an answer did, one trial for each case.

    Args:
        exercise: the exercise.
        trials: what the answer did on its cases.
        expected: what the solution returns on them.
        said: by case, what is said of an error that the answer raised; None where it returned.
        known: as of `examine`.
    """
    with contained():
        failures = [
            (trial, value, sentence)
            for trial, value, error in zip(trials, expected, said, strict=True)
            if (sentence := error or compared(exercise, trial.value, value, trial.case)) is not None
        ]
    changed = [trial for trial in trials if trial.changed]
    # writing to an input in place also breaks gradients: tell the cause
    if changed and all(trial.case.wants_gradients for trial, *_rest in failures):
        return _changes_input(exercise, changed[0])
    if not failures:
        return _passed(exercise)
    return _failed(exercise, trials, failures, known or diagnose(exercise, trials))


def passes(exercise: Exercise, answer: Callable[..., Any], *, seconds: float = SECONDS) -> bool:
    """Whether an answer is right, without a report: it stops at the first failing case."""
    expected = expected_values(exercise)
    trials = trials_of(exercise, answer, exercise.cases, seconds)
    for trial, value in zip(trials, expected, strict=False):
        if trial.changed or not trial.returned:
            return False
        if disagreement(exercise, trial.value, value, trial.case) is not None:
            return False
    return True


def trials_of(
    exercise: Exercise, answer: Any, cases: Sequence[Case], seconds: float
) -> Iterator[Trial]:  # fmt: skip
    """Yield what an answer does on some cases, until their time is up."""
    left = seconds
    for case in cases:
        trial = attempt(exercise, answer, case, seconds=max(left, 1e-3))
        left -= trial.seconds
        yield trial
        if isinstance(trial.error, limits.OutOfTime):
            return


def raised(exercise: Exercise, answer: Any, trial: Trial) -> str | None:
    """Say what an answer raised; None where it returned."""
    return None if trial.error is None else _describe_raised(exercise, answer, trial.error)


def _describe_raised(exercise: Exercise, answer: Any, error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return _("Your function calls exit instead of returning a value.")
    if isinstance(error, RecursionError):
        return _("Your function calls itself without end (RecursionError).")
    text = describe_error(error).rstrip(".")
    own = own_frames(answer, error)
    if methods_of(answer) and not own and isinstance(error, TypeError):
        sentence = _("Your function cannot be called with the arguments of the stub ({error}).")
        return sentence.format(error=text)
    sentence = _("Your function raised {error}").format(error=text)
    line = own[-1].line if own else None
    if not line:
        return f"{sentence}."
    return _("{sentence}, in the line `{line}`.").format(sentence=sentence, line=shorten(line))


def own_frames(function: Any, error: BaseException) -> list[traceback.FrameSummary]:
    """Return the lines of a function's own file that an error went through, outermost first."""
    files = {code.co_filename for code in methods_of(function).values()}
    frames = traceback.extract_tb(error.__traceback__)
    return [frame for frame in frames if frame.filename in files]


def _report(exercise: Exercise, status: Status, message: str, **details: Any) -> Report:
    return Report(exercise.slug, exercise.title, status, message, **details)


def _passed(exercise: Exercise) -> Report:
    count = len(exercise.cases)
    message = _("All {count} cases agree with the solution.").format(count=count)
    return _report(exercise, "passed", message, cases=count, agreeing=count)


def _unsolved(exercise: Exercise) -> Report:
    message = _('Fill in the body and run the cell again. hint("{slug}") gives a first hint.')
    return _report(exercise, "unsolved", message.format(slug=exercise.slug))


def _not_callable(exercise: Exercise, answer: Any) -> str:
    sentence = _("check wants the function itself, without calling it: {line}. It got {got}.")
    got = " ".join(show(answer).split())
    return sentence.format(line=exercise.check_line, got=shorten(got))


def _out_of_time(
    exercise: Exercise, answer: Any, trial: Trial, stop: limits.OutOfTime, seconds: float
) -> Report:  # fmt: skip
    """Say how long it took and what was running then."""
    module, own = stop.loading, own_frames(answer, stop)
    if module is not None:
        sentence = _(
            "Your function was stopped after {seconds} seconds, while {module} was being loaded, "
            "on the case: {case}."
        )
    elif stop.waited:
        sentence = _(
            "Your function was stopped after {seconds} seconds, in which it waited more than it "
            "computed, on the case: {case}. Does it sleep, or wait for input?"
        )
    else:
        sentence = _(
            "Your function was stopped after {seconds} seconds of computing, on the case: {case}. "
            "Does every loop end?"
        )
    taken = limits.WAITING * seconds if module is not None or stop.waited else seconds
    sentence = sentence.format(seconds=f"{taken:g}", case=trial.case.name, module=module)
    if own and own[-1].line and module is None:
        line = _("It was in the line `{line}`.").format(line=shorten(own[-1].line))
        sentence = f"{sentence} {line}"
    if trial.printed:
        also = _("Your function also prints, and printing takes time.")
        sentence = f"{sentence} {also}"
    return _report(exercise, "failed", sentence)


def _unchecked(exercise: Exercise, error: Exception) -> Report:
    """Say that the check itself failed, as where an interrupt has left a library half loaded.

    Nobody knows whether one has, so that none is blamed.
    """
    sentence = _(
        "Your answer was not checked: the check itself failed ({error}). Restart the kernel, run "
        "the cells again, and check once more. If it fails again, the fault is in the course and "
        "not in your answer."
    )
    return _report(exercise, "unchecked", sentence.format(error=describe_error(first_cause(error))))


def first_cause(error: BaseException) -> BaseException:
    """Return the error that an error began with."""
    return error if error.__cause__ is None else first_cause(error.__cause__)


def _changes_input(exercise: Exercise, trial: Trial) -> Report:
    sentence = _(
        "The values are right, but your function changes its input {names} in place. The caller "
        "would go on with something other than it passed. Make a new value instead: an operation "
        "whose name ends in _, an assignment to an index or a slice, += and del write in place, "
        "and so do append, pop and sort."
    )
    return _report(exercise, "failed", sentence.format(names=", ".join(trial.changed)))


def _failed(
    exercise: Exercise, trials: Sequence[Trial], failures: list[Failure], found: Diagnosis | None
) -> Report:
    failure = telling(found.mistake, failures) if found else smallest(failures)
    trial, value, _sentence = failure
    sentence = with_place(failure)
    count, agreeing = len(trials), len(trials) - len(failures)
    if found is None:
        message = _("{sentence} {agreeing} of {count} cases agree with the solution.")
        message = message.format(sentence=sentence, agreeing=agreeing, count=count)
        if trial.changed:
            also = _("It also changes its input {names} in place.")
            message = f"{message} {also.format(names=', '.join(trial.changed))}"
        evidence = evidence_of(trial, value)
        return _report(
            exercise, "failed", message, evidence=evidence, cases=count, agreeing=agreeing
        )
    see = _('See "{section}" in chapter {chapter}.')
    return _report(
        exercise,
        "failed",
        found.mistake.diagnosis,
        mistake=found.mistake.slug,
        see=see.format(section=found.mistake.see, chapter=exercise.chapter),
        evidence=evidence_of(trial, value, sentence),
        edit=found.form.edit,
        cases=count,
        agreeing=agreeing,
    )
