"""`catch`: run a reader's test on right and wrong answers, and count the wrong ones it catches.

First come the right answers. A test that rejects one of them is told so, and nothing else is run.
Then come the wrong ones, with the right ones again among them, shuffled and under three seeds: a
test that counts its calls, remembers, or depends on chance rejects a right one there. A run that
does not end stops all.
"""

import inspect
import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle
from types import FunctionType
from typing import Any

from bottomup.checks import check_number
from bottomup.exercises.engine.catch_report import Catch, Outcome, WrongAnswer
from bottomup.exercises.engine.checking import ONE_AT_A_TIME, first_cause, own_frames
from bottomup.exercises.engine.exercise import Exercise
from bottomup.exercises.engine.limits import call_within
from bottomup.exercises.engine.progress_file import remember_test
from bottomup.exercises.engine.registry import find
from bottomup.exercises.engine.report import Evidence
from bottomup.exercises.engine.runner import contained, expected_values
from bottomup.exercises.engine.sealing import Call, Sealed, Test, fresh, refused
from bottomup.exercises.engine.show import describe_error, shorten, show
from bottomup.exercises.engine.stub import is_empty, stub_answer
from bottomup.i18n import _

SECONDS = 20.0  # of processor time, for all runs of a test
LEAST, SLOWER = 1.0, 20  # a run may take this many seconds, or so many times what a right one took
SEEDS = (0, 1, 2)  # of the global generators: right answers are run under each of them

Answer = Callable[..., Any]


def catch(slug: str, test: Test, *, seconds: float = SECONDS) -> Catch:
    """Run a test on right and wrong answers to an exercise, and report which it tells apart.

    The test is a function of one argument, the answer. It calls the answer, by position or by the
    stub's names, and asserts what has to hold; it may compare with anything, torch's own function
    included. An assertion that fails and an error both catch a wrong answer.

    Args:
        slug: the exercise, such as "masked-softmax".
        test: your test itself, without calling it.
        seconds: limit on the processor time of all runs together.
    """
    exercise = find(slug)
    check_number("seconds", seconds, above=0)
    with ONE_AT_A_TIME:
        try:
            report = examine_test(exercise, test, seconds=seconds)
        except Exception as error:
            sentence = _("Your test was not run: the run itself failed ({error}).")
            failed = sentence.format(error=describe_error(first_cause(error)))
            report = Catch(exercise, "unchecked", failed)
    if report.outcomes:
        remember_test(slug, report.caught)
    return report


def examine_test(exercise: Exercise, test: Test, *, seconds: float = SECONDS) -> Catch:
    """Return the report on a test, without remembering it."""
    if isinstance(test, FunctionType) and is_empty(test.__code__):
        sentence = _("Write the test and run the cell again: call `{name}`, assert what must hold.")
        return Catch(exercise, "unsolved", sentence.format(name=exercise.answer_name))
    if (problem := _misused(exercise, test)) is not None:
        return Catch(exercise, "failed", problem)
    expected_values(exercise)  # what PyTorch loads when it is first used, it loads here
    trials = _Trials(exercise, test, seconds)
    try:
        first = [trials.run(answer) for answer in _right(exercise)]
        if any(run.error for run in first):
            return _rejecting(exercise, test, first)
        if (problem := _idle(exercise, first)) is not None:
            return Catch(exercise, "failed", problem)
        return _scored(exercise, test, trials, max(run.seconds for run in first))
    except _Endless:
        return Catch(exercise, "failed", _stopped(exercise, trials))


def _right(exercise: Exercise) -> tuple[Answer, ...]:
    return (exercise.solution, *exercise.alternatives)


def _misused(exercise: Exercise, test: Test) -> str | None:
    """Say what is wrong with a test before it is run, None where nothing is."""
    if inspect.isclass(stub_answer(exercise)):
        return _("The answer to this exercise is a class; a test is written for a function.")
    if not isinstance(test, FunctionType):
        sentence = _("catch wants the test itself, without calling it: {line}. It got {got}.")
        return sentence.format(line=exercise.catch_line, got=_one_line(test))
    try:
        inspect.signature(test).bind(None)
    except TypeError:
        sentence = _("A test takes one argument, the answer that it tests: `{line}`")
        return sentence.format(line=_first_line(exercise))
    if names := refused(test):
        sentence = _(
            "Your test was not run. A test sees an answer by calling it, and by nothing else; "
            "yours uses {names}."
        )
        return sentence.format(names=", ".join(f"`{name}`" for name in names))
    return None


@dataclass(frozen=True)
class _Run:
    """One run of a test: what it raised, what it returned, and the answer's last call."""

    error: BaseException | None
    value: Any
    seconds: float
    last: Call | None

    @property
    def outcome(self) -> Outcome:
        if self.error is None:
            return "passes"
        return "asserts" if isinstance(self.error, AssertionError) else "crashes"


class _Endless(Exception):
    """A run did not end in its time."""


class _Trials:
    """The runs of one test, each of a fresh copy, until the time for all of them is up."""

    def __init__(self, exercise: Exercise, test: Test, seconds: float) -> None:
        self.test, self.left, self.ended = test, seconds, 0
        self.signature = inspect.signature(stub_answer(exercise))

    def run(self, answer: Answer, *, seed: int = 0, limit: float | None = None) -> _Run:
        calls: list[Call] = []
        sealed, test = Sealed(answer, self.signature, calls), fresh(self.test)
        with contained(seed):
            seconds = min(self.left, limit or self.left)
            outcome = call_within(lambda: test(sealed), max(seconds, 1e-3))
        if outcome.timed_out:
            raise _Endless
        self.left -= outcome.seconds
        self.ended += 1
        last = calls[0] if calls else None
        return _Run(outcome.error, outcome.value, outcome.seconds, last)


def _scored(exercise: Exercise, test: Test, trials: _Trials, slowest: float) -> Catch:
    """Run the wrong answers, and the right ones again among them, in an order of its own."""
    limit = max(LEAST, SLOWER * slowest)
    forms = {
        WrongAnswer(mistake.slug, number): wrong
        for mistake in exercise.mistakes
        for number, wrong in enumerate(mistake.answers)
    }
    jobs: list[tuple[WrongAnswer | None, Answer, int]] = [
        (form, forms[form], seed) for form, seed in zip(forms, cycle(SEEDS), strict=False)
    ]
    jobs += [(None, answer, seed) for answer in _right(exercise) for seed in SEEDS]
    random.SystemRandom().shuffle(jobs)  # nothing in the process can know the order
    outcomes: dict[WrongAnswer, Outcome] = {}
    for form, answer, seed in jobs:
        run = trials.run(answer, seed=seed, limit=limit)
        if form is not None:
            outcomes[form] = run.outcome
        elif run.error is not None:
            return Catch(exercise, "failed", _unsteady(test, run))
    report = Catch(exercise, "failed", outcomes={form: outcomes[form] for form in forms})
    return report.told(right=len(_right(exercise)))


def _rejecting(exercise: Exercise, test: Test, runs: list[_Run]) -> Catch:
    """Say how many right answers a test rejects, where, and what the first of them did last."""
    bad = [run for run in runs if run.error is not None]
    sentence = _("Your test rejects {bad} of {count} right answers, so no wrong one was tried.")
    message = sentence.format(bad=len(bad), count=len(runs))
    if len(bad) < len(runs):
        message += " " + _("It asks for more than the stub says: the others do what it says too.")
    return Catch(exercise, "failed", f"{message} {_why(test, bad[0])}", _last_call(bad[0].last))


def _why(test: Test, run: _Run) -> str:
    """Say what a run raised, and in which line of the test."""
    assertion = run.outcome == "asserts"
    error = run.error or AssertionError()
    if assertion and not str(error):
        sentence = _("An assertion fails")
    else:
        what = _("An assertion fails ({error})") if assertion else _("The test crashes ({error})")
        sentence = what.format(error=describe_error(error).rstrip("."))
    frames = own_frames(test, error)
    if not frames or not frames[-1].line:
        return f"{sentence}."
    line = _("{sentence}, in the line `{line}`.")
    return line.format(sentence=sentence, line=shorten(frames[-1].line))


def _last_call(call: Call | None) -> Evidence | None:
    """Show what a right answer was asked last, and what it returned."""
    if call is None:
        return None
    inputs = tuple((name, show(value)) for name, value in call.arguments.items())
    returned = show(call.value) if call.error is None else describe_error(call.error)
    return Evidence("", inputs, None, returned)


def _idle(exercise: Exercise, runs: list[_Run]) -> str | None:
    """Say why a test that accepts what is right tells nothing, None where it tells something."""
    if not any(run.last for run in runs):
        sentence = _("Your test never calls its argument, the answer: `{line}`")
        return sentence.format(line=_first_line(exercise))
    returned = [run.value for run in runs if run.value is not None]
    if returned:
        sentence = _("Your test returns {value}, which counts for nothing. Assert what must hold.")
        return sentence.format(value=_one_line(returned[0]))
    return None


def _unsteady(test: Test, run: _Run) -> str:
    sentence = _(
        "Run once more, your test rejects a right answer that it had accepted: it depends on "
        "chance or on earlier runs. Choose its inputs, or draw them with a seed. {why}"
    )
    return sentence.format(why=_why(test, run))


def _stopped(exercise: Exercise, trials: _Trials) -> str:
    """Say whether a test was stopped on a right answer or on a wrong one."""
    if trials.ended < len(_right(exercise)):
        sentence = _("Your test was stopped on a right answer: it takes too long. Does it end?")
    else:
        sentence = _("Your test was stopped: on a wrong answer it does not end, or not in time.")
    advice = _("Bound every loop, and keep the inputs small: a few numbers catch most mistakes.")
    return f"{sentence} {advice}"


def _first_line(exercise: Exercise) -> str:
    return exercise.test_stub.splitlines()[0]


def _one_line(value: Any) -> str:
    return shorten(" ".join(show(value).split()))
