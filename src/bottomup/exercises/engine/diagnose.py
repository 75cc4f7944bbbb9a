"""Recognising a mistake by the values it gives."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import torch

from bottomup.exercises.engine.exercise import Case, Exercise, Form, Mistake
from bottomup.exercises.engine.outcomes import Outcomes, Run, Wrong, loaded
from bottomup.exercises.engine.runner import Trial, attempt, compared, contained, expected_values

Runs = Sequence[Trial]


class Diagnosis(NamedTuple):
    """A mistake that was recognised, and which of its forms."""

    mistake: Mistake
    form: Form


def diagnose(exercise: Exercise, trials: Runs) -> Diagnosis | None:
    """Return the mistake whose wrong answer does what this answer did, or None.

    A mistake matches where the answer does the same on every case of the exercise's own that
    separates the wrong answer from the solution or from another mistake. On at least one case it
    must have returned the same wrong value: that two answers crash alike says little. Gradients
    count only for a mistake whose values are right: a wrong value is named however it was computed.

    Args:
        exercise: the exercise.
        trials: what the answer did, one for each case.
    """
    wrong = _wrong_answers(exercise, torch.get_default_device())
    with contained():
        own = [trial for trial in trials if trial.case.own]
        found = (each for each in wrong if each.is_done_by(own))
        return next((Diagnosis(each.mistake, each.form) for each in found), None)


def run_on_all(exercise: Exercise, answer: Callable[..., Any]) -> list[Trial]:
    """Run an answer on every case of its exercise."""
    return [attempt(exercise, answer, case) for case in exercise.cases]


def outcomes(exercise: Exercise) -> Outcomes:
    """Return what the solution and the wrong answers of an exercise do, to be kept in a file."""
    wrong = _wrong_answers(exercise, torch.get_default_device())
    return Outcomes(
        expected_values(exercise),
        tuple(
            Wrong(
                tuple(Run(run.value, run.error) for run in each.runs),
                tuple(map(each.is_wrong, range(len(each.runs)))),
                tuple(map(each.is_shared, range(len(each.runs)))),
            )
            for each in wrong
        ),
    )


@cache
def _wrong_answers(exercise: Exercise, _default: torch.device) -> list["_Wrong"]:
    """Run every wrong answer on every own case; once: a run depends on its seeds alone."""
    right = [
        Trial(case, value)
        for case, value in zip(exercise.cases, expected_values(exercise), strict=True)
        if case.own
    ]
    own = [case for case in exercise.cases if case.own]
    forms = [(mistake, form) for mistake in exercise.mistakes for form in mistake.known]
    if known := loaded(exercise):
        return [
            _Wrong(
                exercise,
                mistake,
                form,
                _LoadedTrials(own, each.runs),
                right,
                _is_wrong=dict(enumerate(each.wrong)),
                _is_shared=dict(enumerate(each.shared)),
            )
            for (mistake, form), each in zip(forms, known.wrong, strict=True)
        ]
    wrong = [
        _Wrong(exercise, mistake, form, [attempt(exercise, form.answer, c) for c in own], right)
        for mistake, form in forms
    ]
    for each in wrong:
        each.others = [other.runs for other in wrong if other.mistake is not each.mistake]
    return wrong


class _LoadedTrials(Sequence[Trial]):
    """What was loaded of a wrong answer, each run when it is asked for."""

    def __init__(self, cases: Sequence[Case], runs: Sequence[Run]) -> None:
        self._cases, self._runs = cases, runs

    def __len__(self) -> int:
        return len(self._runs)

    def __getitem__(self, index: Any) -> Any:
        return Trial(self._cases[index], *self._runs[index])


@dataclass
class _Wrong:
    """One wrong answer, what it did on each case, and what of that tells it from the others."""

    exercise: Exercise
    mistake: Mistake
    form: Form
    runs: Runs
    right: Runs
    others: Sequence[Runs] = ()
    _is_wrong: dict[int, bool] = field(default_factory=dict)
    _is_shared: dict[int, bool] = field(default_factory=dict)

    def is_done_by(self, trials: Runs) -> bool:
        """Whether an answer that did this on each case makes the same mistake."""
        shared_wrong_value = False
        for index in self.cases_that_count():
            if self._same(trials[index], self.runs[index]):
                wrong_value = self.is_wrong(index) and self.runs[index].returned
                shared_wrong_value = shared_wrong_value or wrong_value
            elif self.is_wrong(index) or not self.is_shared(index):
                return False
        return shared_wrong_value

    def cases_that_count(self) -> list[int]:
        everything = range(len(self.right))
        of_values = [index for index in everything if not self.right[index].case.wants_gradients]
        return of_values if any(map(self.is_wrong, of_values)) else list(everything)

    def is_wrong(self, index: int) -> bool:
        """Whether the answer differs from the solution on a case."""
        if index not in self._is_wrong:
            self._is_wrong[index] = not self._same(self.runs[index], self.right[index])
        return self._is_wrong[index]

    def is_shared(self, index: int) -> bool:
        """Whether all other mistakes do the same on a case."""
        if index not in self._is_shared:
            ours = self.runs[index]
            self._is_shared[index] = all(self._same(ours, runs[index]) for runs in self.others)
        return self._is_shared[index]

    def _same(self, ours: Trial, theirs: Trial) -> bool:
        if not (ours.returned and theirs.returned):
            return type(ours.error) is type(theirs.error)
        return compared(self.exercise, ours.value, theirs.value, theirs.case) is None
