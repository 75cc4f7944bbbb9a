"""What every exercise's reports show, beyond naming the mistake."""

import pytest

from bottomup.exercises import Exercise, catalog
from bottomup.exercises.engine.checking import examine

pytestmark = pytest.mark.slow  # `make check` has a minute for all tests

EXERCISES = list(catalog().values())
WITH_GRADIENTS = [e for e in EXERCISES if any(case.wants_gradients for case in e.cases)]


def slug(exercise: Exercise) -> str:
    return exercise.slug


@pytest.mark.parametrize("exercise", EXERCISES, ids=slug)
def test_a_misconception_is_shown_on_the_case_it_names_and_a_value_on_none_about_gradients(
    exercise: Exercise,
):
    about_gradients = {case.name for case in exercise.cases if case.wants_gradients}
    for misconception in exercise.misconceptions:
        report = examine(exercise, misconception.wrong)
        assert misconception.case in ("", report.case)
        right_values = report.evidence and "The values are right" in report.evidence.difference
        assert (report.case in about_gradients) == bool(right_values)


@pytest.mark.parametrize("exercise", WITH_GRADIENTS, ids=slug)
def test_an_answer_that_detaches_is_told_that_a_model_could_not_learn(exercise: Exercise):
    count = len(exercise.cases)
    report = examine(exercise, lambda *inputs: exercise.solution(*inputs).detach())
    assert report.misconception is None
    assert "no gradient leads back" in report.message
    assert f" {count - 1} of {count} cases agree" in report.message
