"""Every wrong answer to every exercise: each mistake, and answers that are no answers.

Of an exercise all are asked in one test: what its wrong answers give is worked out once a process.
"""

import re
import sys
from collections.abc import Callable, Iterator
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
# Exercises that run an answer in a way of their own, beside one that does not.
RUNS = ["stable-softmax", "bahdanau-step", "find-the-leak", "lstmn-step", "recompute", "bpe-merge"]

each = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.slug)


def forms(exercise: Exercise) -> Iterator[tuple[Mistake, Form]]:
    return ((mistake, form) for mistake in exercise.mistakes for form in mistake.forms)


def is_named(exercise: Exercise, mistake: Mistake, form: Form, report: Report) -> bool:
    """Whether a report names the mistake and shows a case on which the form is wrong."""
    named = (report.status, report.mistake) == ("failed", mistake.slug)
    counted = report.agreeing < report.cases == len(exercise.cases) and report.case is not None
    if not named or not counted or form is not mistake.known[0]:
        return named and counted
    # The first form is shown on its case; its values are right on one about gradients alone.
    about_gradients = {case.name for case in exercise.cases if case.wants_gradients}
    right_values = report.evidence and "The values are right" in report.evidence.difference
    shown = mistake.case in ("", report.case)
    return shown and (report.case in about_gradients) == bool(right_values)


@each
def test_every_form_of_a_mistake_is_named_as_this(exercise: Exercise):
    said = [(mistake, form, examine(exercise, form.answer)) for mistake, form in forms(exercise)]
    wrong = [
        f"{mistake.slug}:\n{form.source}\n{report}"
        for mistake, form, report in said
        if not is_named(exercise, mistake, form, report)
    ]
    assert not wrong, "\n\n".join(wrong)


@each
def test_wrong_answers_without_a_name_are_refused(exercise: Exercise):
    for answer in exercise.also_wrong:
        report = examine(exercise, answer)
        assert (report.status, report.mistake) == ("failed", None), report


def detached(value: Any) -> Any:
    return tuple(map(detached, value)) if isinstance(value, tuple) else value.detach()


@each
def test_an_answer_that_detaches_is_told_that_a_model_could_not_learn(exercise: Exercise):
    of_gradients = sum(case.wants_gradients for case in exercise.cases)
    if not of_gradients or exercise.slug in WITHOUT:
        pytest.skip("no gradient is asked for")
    report = examine(exercise, lambda *inputs: detached(exercise.solution(*inputs)))
    count = len(exercise.cases)
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


HOSTILE: list[tuple[Any, str]] = [
    (refuse, "raised ValueError: a <b>bold</b> refusal, in the line `raise ValueError("),
    (hang, "stopped after 0.2 seconds"),
    (leave, "calls exit"),
    (interrupt, "raised KeyboardInterrupt"),
    (recurse, "calls itself without end"),
    (lambda: 1, "cannot be called with the arguments of the stub"),
    (7, "check wants the function itself"),
    (None, "check wants the function itself"),
]


def is_calm(report: Report) -> bool:
    return not report.passed and report.mistake is None and len(repr(report)) < 6000


@pytest.mark.parametrize("slug", RUNS)
@pytest.mark.parametrize("answer, sentence", HOSTILE)
def test_a_hostile_answer_is_reported_calmly(slug: str, answer: Any, sentence: str):
    report = examine(catalog()[slug], answer, seconds=0.2 if answer is hang else 10)
    assert is_calm(report), report
    assert sentence in report.message


def much(_: Any) -> Any:
    return torch.zeros(1).expand(10**4, 10**5), [0] * 10**6


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


RESULTS: list[tuple[Callable[[Any], Any], str]] = [
    (lambda value: None, r"It returned None. Is a `return` missing\?"),
    (lambda value: "no", "It returned a value of type str"),
    (much, "It returned |The result has shape"),
    (to_numpy, "It returned a NumPy array"),
    (to_another_shape, r"has shape|type list|returned 1 value"),
    (to_another_dtype, r"has dtype|type str"),
    (to_another_device, r"on device meta|returned a tensor"),
]


@each
def test_a_result_of_another_kind_is_reported_calmly(exercise: Exercise):
    for distort, sentence in RESULTS:
        report = examine(exercise, lambda *inputs, d=distort: d(exercise.solution(*inputs)))
        if (exercise.slug, report.mistake) == ("causal-mask", "numbers"):  # a mistake of its own
            continue
        assert is_calm(report), report
        assert re.search(sentence, report.message), report
