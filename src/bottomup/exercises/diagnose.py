"""Recognising a misconception by the values it gives."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from bottomup.exercises.exercise import Exercise, Misconception
from bottomup.exercises.runner import Trial, attempt, disagreement

Runs = Sequence[Trial]


def diagnose(
    exercise: Exercise, trials: Sequence[Trial], expected: Sequence[Any]
) -> Misconception | None:
    """Return the misconception whose wrong answer does what this answer did, or None.

    A misconception matches where the answer does the same on every case that separates the wrong
    answer from the solution or from another misconception. On at least one case it must have
    returned the same wrong value: that two answers crash alike says little. Gradients count only
    for a misconception whose values are right: a wrong value is named however it was computed.

    Args:
        exercise: the exercise.
        trials: what the answer did, one for each case.
        expected: the solution's value for each case.
    """
    right = [Trial(trial.case, value) for trial, value in zip(trials, expected, strict=True)]
    wrong = _wrong_runs(exercise)
    for misconception, theirs in wrong:
        others = [runs for other, runs in wrong if other is not misconception]
        if _matches(exercise, trials, theirs, right, others):
            return misconception
    return None


@cache
def _wrong_runs(exercise: Exercise) -> list[tuple[Misconception, Runs]]:
    """Run every wrong answer on every case; once, since a run depends on its seeds alone."""
    return [
        (misconception, run_on_all(exercise, answer))
        for misconception in exercise.misconceptions
        for answer in (misconception.wrong, *misconception.variants)
    ]


def run_on_all(exercise: Exercise, answer: Callable[..., Any]) -> list[Trial]:
    """Run an answer on every case of its exercise."""
    return [attempt(exercise, answer, case) for case in exercise.cases]


def _matches(
    exercise: Exercise, trials: Runs, theirs: Runs, right: Runs, others: Sequence[Runs]
) -> bool:
    shared_wrong_value = False
    for index in _cases_that_count(exercise, theirs, right):
        their = theirs[index]
        is_wrong = not _same(exercise, their, right[index])
        if _same(exercise, trials[index], their):
            shared_wrong_value = shared_wrong_value or (is_wrong and their.returned)
        elif is_wrong or any(not _same(exercise, their, runs[index]) for runs in others):
            return False
    return shared_wrong_value


def _cases_that_count(exercise: Exercise, theirs: Runs, right: Runs) -> list[int]:
    everything = range(len(theirs))
    of_values = [index for index in everything if not theirs[index].case.wants_gradients]
    has_wrong_value = any(not _same(exercise, theirs[i], right[i]) for i in of_values)
    return of_values if has_wrong_value else list(everything)


def _same(exercise: Exercise, ours: Trial, theirs: Trial) -> bool:
    if not (ours.returned and theirs.returned):
        return type(ours.error) is type(theirs.error) and ours.returned == theirs.returned
    return disagreement(exercise, ours.value, theirs.value, theirs.case) is None
