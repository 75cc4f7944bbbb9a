"""Every wrong answer to every exercise: each misconception, and answers that are no answers."""

import json
import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from bottomup.exercises import Exercise, Report, catalog
from bottomup.exercises.engine.checking import examine
from bottomup.exercises.engine.exercise import Misconception
from bottomup.exercises.engine.registry import CHAPTERS
from tools.exercises import catches, reports

pytestmark = pytest.mark.slow

EXERCISES = list(catalog().values())
WITHOUT = {"memory-update"}  # no gradient is what is asked for
WITH_GRADIENTS = [
    e for e in EXERCISES if any(case.wants_gradients for case in e.cases) and e.slug not in WITHOUT
]
MISCONCEPTIONS = [
    (e, m, wrong) for e in EXERCISES for m in e.misconceptions for wrong in (m.wrong, *m.variants)
]


def name(value: Any) -> str | None:
    named = isinstance(value, Exercise | Misconception)
    return value.slug if named else getattr(value, "__name__", None)


each = pytest.mark.parametrize("exercise", EXERCISES, ids=name)


@pytest.mark.parametrize("exercise, misconception, wrong", MISCONCEPTIONS, ids=name)
def test_every_misconception_is_named_as_itself(
    exercise: Exercise, misconception: Misconception, wrong: Callable[..., Any]
):
    report = examine(exercise, wrong)
    assert report.misconception == misconception.slug, report
    assert not report.passed
    assert report.case is not None
    if wrong is misconception.wrong:  # it is shown on its case, right values on one about gradients
        about_gradients = {case.name for case in exercise.cases if case.wants_gradients}
        right_values = report.evidence and "The values are right" in report.evidence.difference
        assert misconception.case in ("", report.case)
        assert (report.case in about_gradients) == bool(right_values)


def detached(value: Any) -> Any:
    return tuple(map(detached, value)) if isinstance(value, tuple) else value.detach()


@pytest.mark.parametrize("exercise", WITH_GRADIENTS, ids=name)
def test_an_answer_that_detaches_is_told_that_a_model_could_not_learn(exercise: Exercise):
    count = len(exercise.cases)
    report = examine(exercise, lambda *inputs: detached(exercise.solution(*inputs)))
    assert report.misconception is None
    assert "no gradient leads back" in report.message
    assert f" {count - 1} of {count} cases agree" in report.message


RENEW = "python -m tools.exercises reports"


# ---- What the book shows of it: here, since the wrong answers have been run already


def shown() -> dict[str, Any]:
    texts = [reports.recorded_file(chapter).read_text(encoding="utf-8") for chapter in CHAPTERS]
    return {slug: shown for text in texts for slug, shown in json.loads(text).items()}


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_what_is_recorded_of_a_test_is_what_catch_says_and_the_scores_are_apart(chapter: str):
    recorded, path = catches.record(chapter), reports.recorded_file(chapter, catches.FOLDER)
    assert path.exists() == bool(recorded)
    if recorded:
        assert reports.alike(path.read_text("utf-8"), reports.as_text(recorded)), RENEW


def test_the_course_asks_for_at_least_ten_tests_over_its_chapters():
    asked = [exercise for exercise in catalog().values() if exercise.test_minutes]
    assert len(asked) >= 10
    assert len({exercise.chapter for exercise in asked}) >= 7


def test_the_book_shows_every_exercise_in_order():
    assert [*shown()] == [*catalog()]


@each
def test_the_book_shows_what_the_check_says(exercise: Exercise):
    answers = {
        slug: answers
        for chapter in CHAPTERS
        for slug, answers in reports.read_answers(reports.FOLDER / f"{chapter}.md").items()
    }
    recorded = reports.record_exercise(exercise, answers[exercise.slug])
    texts = map(reports.as_text, (recorded, shown()[exercise.slug]))
    assert reports.alike(*texts), RENEW


@pytest.mark.parametrize(
    "one, other, same",
    [
        ("by at most 4.5354.", "by at most 4.5355.", True),
        ("[[ 1.0001 0.35  ]]", "[[ 1.0001 0.3499]]", True),
        ("by at most 4.53.", "by at most 4.63.", False),
        ("2 of 4 values", "3 of 4 values", False),
        ("0.5 of a", "0.5 of b", False),
        ("0.5, 0.5", "0.5", False),
    ],
)
def test_reports_may_differ_by_rounding_and_by_nothing_else(one: str, other: str, same: bool):
    assert reports.alike(one, other) is same


# ---- Hostile answers


def refuse(*inputs: Any) -> None:
    raise ValueError("a <b>bold</b> refusal")


def hang(*inputs: Any) -> None:
    while True:
        pass


def leave(*inputs: Any) -> None:
    sys.exit(3)


def interrupt(*inputs: Any) -> None:
    raise KeyboardInterrupt


def recurse(*inputs: Any) -> Any:
    return recurse(*inputs)


def print_a_lot(*inputs: Any) -> str:
    for _repeat in range(1000):
        print("<script>" + "x" * 100)
    return "no"


def return_much(*inputs: Any) -> Any:
    return torch.zeros(1).expand(10**4, 10**5), [0] * 10**6


ANSWERS: list[tuple[Any, str]] = [
    (refuse, "raised ValueError: a <b>bold</b> refusal, in the line `raise ValueError("),
    (leave, "calls exit"),
    (interrupt, "raised KeyboardInterrupt"),
    (recurse, "calls itself without end"),
    (print_a_lot, "It returned a value of type str"),
    (return_much, "It returned "),
    (lambda: 1, "cannot be called with the arguments of the stub"),
    (lambda *inputs: inputs and None, "It returned None. Is a `return` missing?"),
    (7, "check wants the function itself"),
    (None, "check wants the function itself"),
]


def is_calm(report: Report) -> bool:
    return not report.passed and report.misconception is None and len(repr(report)) < 6000


@each
@pytest.mark.parametrize("answer, sentence", ANSWERS, ids=name)
def test_a_hostile_answer_is_reported_calmly(exercise: Exercise, answer: Any, sentence: str):
    report = examine(exercise, answer)
    assert is_calm(report)
    assert sentence in report.message


@each
def test_a_loop_without_end_is_reported(exercise: Exercise):
    report = examine(exercise, hang, seconds=0.2)
    assert is_calm(report)
    assert "stopped after 0.2 seconds" in report.message


def to_numpy(value: Any) -> Any:
    if isinstance(value, tuple):
        return to_numpy(value[0])
    return value.numpy() if isinstance(value, Tensor) else np.array(value, dtype=object)


def to_another_shape(value: Any) -> Any:
    return value[None] if isinstance(value, Tensor) else [value]


def to_another_dtype(value: Any) -> Any:
    if not isinstance(value, Tensor):
        return str(value)
    return value.double() if value.dtype == torch.float32 else value.float()


def to_another_device(value: Any) -> Any:
    return value.to("meta") if isinstance(value, Tensor) else torch.zeros((), device="meta")


RESULTS = [
    (to_numpy, "It returned a NumPy array"),
    (to_another_shape, r"has shape|type list|returned 1 value"),
    (to_another_dtype, r"has dtype|type str"),
    (to_another_device, r"on device meta|returned a tensor"),
]


@each
@pytest.mark.parametrize("distort, sentence", RESULTS, ids=name)
def test_the_right_values_of_another_kind_are_reported(
    exercise: Exercise, distort: Callable[[Any], Any], sentence: str
):
    report = examine(exercise, lambda *inputs: distort(exercise.solution(*inputs)))
    assert is_calm(report)
    assert re.search(sentence, report.message), report
