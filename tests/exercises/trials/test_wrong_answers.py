"""Every wrong answer to every exercise: each mistake, and answers that are no answers."""

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
from bottomup.exercises.engine.exercise import Form, Mistake

pytestmark = pytest.mark.slow

EXERCISES = list(catalog().values())
WITHOUT = {"memory-update"}  # no gradient is what is asked for
WITH_GRADIENTS = [
    e for e in EXERCISES if any(case.wants_gradients for case in e.cases) and e.slug not in WITHOUT
]
FORMS = [(e, mistake, form) for e in EXERCISES for mistake in e.mistakes for form in mistake.forms]
TRIED = [(e, answer) for e in EXERCISES for answer in e.also_wrong]


def name(value: Any) -> str | None:
    named = isinstance(value, Exercise | Mistake)
    return value.slug if named else getattr(value, "__name__", None)


each = pytest.mark.parametrize("exercise", EXERCISES, ids=name)


@pytest.mark.parametrize("exercise, mistake, form", FORMS, ids=name)
def test_every_form_of_a_mistake_is_named_as_this(exercise: Exercise, mistake: Mistake, form: Form):
    report = examine(exercise, form.answer)
    assert report.mistake == mistake.slug, report
    assert not report.passed
    assert report.case is not None
    assert report.agreeing < report.cases == len(exercise.cases)
    if form is mistake.known[0]:  # shown on its case, right values on one about gradients
        about_gradients = {case.name for case in exercise.cases if case.wants_gradients}
        right_values = report.evidence and "The values are right" in report.evidence.difference
        assert mistake.case in ("", report.case)
        assert (report.case in about_gradients) == bool(right_values)


@pytest.mark.parametrize("exercise, answer", TRIED, ids=name)
def test_a_wrong_answer_without_a_name_is_refused(exercise: Exercise, answer: Callable[..., Any]):
    report = examine(exercise, answer)
    assert (report.status, report.mistake) == ("failed", None), report


def detached(value: Any) -> Any:
    return tuple(map(detached, value)) if isinstance(value, tuple) else value.detach()


@pytest.mark.parametrize("exercise", WITH_GRADIENTS, ids=name)
def test_an_answer_that_detaches_is_told_that_a_model_could_not_learn(exercise: Exercise):
    count = len(exercise.cases)
    of_gradients = sum(case.wants_gradients for case in exercise.cases)
    report = examine(exercise, lambda *inputs: detached(exercise.solution(*inputs)))
    assert report.mistake is None
    assert "no gradient leads back" in report.message
    assert f" {count - of_gradients} of {count} cases agree" in report.message


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
    return not report.passed and report.mistake is None and len(repr(report)) < 6000


@each
@pytest.mark.parametrize("answer, sentence", ANSWERS, ids=name)
def test_a_hostile_answer_is_reported_calmly(exercise: Exercise, answer: Any, sentence: str):
    report = examine(exercise, answer)
    assert is_calm(report)
    of_a_named_tensor = answer is return_much and "The result has shape" in report.message
    assert sentence in report.message or of_a_named_tensor


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
    if (exercise.slug, report.mistake) == ("causal-mask", "numbers"):  # a mistake of its own
        return
    assert is_calm(report)
    assert re.search(sentence, report.message), report
