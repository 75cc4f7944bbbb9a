"""What the catalogue asks of every exercise, asked of chapter 06's without the catalogue."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from bottomup.exercises.checking import AT_A_GLANCE, examine, passes
from bottomup.exercises.checking import _elements as elements
from bottomup.exercises.decoding import EXERCISES
from bottomup.exercises.exercise import Exercise
from bottomup.exercises.stub import stub_answer
from tests.exercises.mutants import mutants

WRONG = [
    (exercise, misconception, wrong)
    for exercise in EXERCISES
    for misconception in exercise.misconceptions
    for wrong in (misconception.wrong, *misconception.variants)
]
HEADINGS = {"The cache", "Beam search", "Sampling", "BLEU", "A batch of prefixes"}
# Mutants that give the same values on every allowed input, by what they change, with the reason.
EQUIVALENT = {
    "scatter(1, places, -kept)": "the sign is lost in the division by the sum",
    "~finished) * 6) ** alpha": "a factor for all penalties leaves the order as it is",
    "penalty = (5 + lengths + ~finished) ** alpha": "likewise",
    "~finished) / 7) ** alpha": "likewise",
    "~finished) / 5) ** alpha": "likewise",
    "min(right.count(gram), grams.count(gram))": "the smaller of two has no order",
    "if total else 0": "0 is 0.0",
}


def slug(value: Any) -> str | None:
    return getattr(value, "slug", None)


each = pytest.mark.parametrize("exercise", EXERCISES, ids=slug)


def named_functions(source: str, exercise: Exercise) -> Any:
    namespace: dict[str, Any] = {"torch": torch, "nn": torch.nn}
    exec(compile(source, "<answer>", "exec"), namespace)
    return namespace[exercise.answer_name]


@each
def test_the_stub_is_not_solved_and_every_right_answer_passes(exercise: Exercise):
    pasted = named_functions(exercise.source, exercise)
    assert examine(exercise, stub_answer(exercise)).status == "unsolved"
    for answer in (pasted, *exercise.alternatives):
        report = examine(exercise, answer)
        assert report.passed, (answer, report)


@pytest.mark.slow
@pytest.mark.parametrize("exercise, misconception, wrong", WRONG, ids=slug)
def test_every_misconception_is_named_as_itself(exercise, misconception, wrong):
    report = examine(exercise, wrong)
    assert report.misconception == misconception.slug, report
    if wrong is misconception.wrong:
        assert misconception.case in ("", report.case)


@each
def test_the_parts_are_complete(exercise: Exercise):
    slugs = [misconception.slug for misconception in exercise.misconceptions]
    assert exercise.chapter == "06"
    assert len(set(slugs)) == len(slugs) >= 4
    assert {misconception.see for misconception in exercise.misconceptions} <= HEADINGS
    assert {misconception.case for misconception in exercise.misconceptions} <= {
        "", *(case.name for case in exercise.cases),
    }  # fmt: skip
    assert 3 <= len(exercise.hints) <= 4
    assert len(exercise.alternatives) >= 3
    assert len({case.name for case in exercise.cases}) == len(exercise.cases) >= 4
    assert len(exercise.source.splitlines()) <= 15
    assert max(map(len, exercise.stub.splitlines())) <= 76
    assert len(exercise.stub.splitlines()) <= 20
    assert exercise.stub.endswith("\n")
    assert elements(dict(exercise.cases[0].inputs)) <= AT_A_GLANCE


def test_every_slug_is_used_once():
    slugs = [exercise.slug for exercise in EXERCISES]
    assert len(set(slugs)) == len(slugs)


@each
def test_a_diagnosis_says_why_in_a_few_sentences(exercise: Exercise):
    for misconception in exercise.misconceptions:
        sentences = re.findall(r"[.?](?= |$)", misconception.diagnosis)
        assert 2 <= len(sentences) <= 5, misconception.slug
        assert "!" not in misconception.diagnosis


@each
def test_a_right_answer_that_changes_its_inputs_is_told_so(exercise: Exercise):
    def spoil(*inputs: Any) -> Any:
        result = exercise.solution(*inputs)
        for value in inputs:
            if isinstance(value, Tensor):
                value.zero_()
            elif isinstance(value, list):
                value.clear()
        return result

    report = examine(exercise, spoil)
    assert report.misconception is None and not report.passed
    assert "changes its input" in report.message


@pytest.mark.parametrize("hostile", [lambda *inputs: 7, lambda: 1, 7, None])
@each
def test_a_hostile_answer_is_reported_calmly(exercise: Exercise, hostile: Any):
    report = examine(exercise, hostile)
    assert report.status == "failed" and report.misconception is None
    assert len(repr(report)) < 6000


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


@pytest.mark.parametrize(
    "distort, sentence",
    [
        (to_numpy, "It returned a NumPy array"),
        (to_another_shape, "has shape|type list|returned 1 value"),
        (to_another_dtype, "has dtype|type str"),
        (to_another_device, "on device meta|returned a tensor"),
    ],
)
@each
def test_the_right_values_of_another_kind_are_reported(
    exercise: Exercise, distort: Callable[[Any], Any], sentence: str
):
    report = examine(exercise, lambda *inputs: distort(exercise.solution(*inputs)))
    assert report.status == "failed" and report.misconception is None
    assert re.search(sentence, report.message), report


@pytest.mark.slow
@each
def test_the_cases_reject_mutants_of_the_solution(exercise: Exercise):
    candidates = mutants(exercise.source)
    alive = []
    for mutant in candidates:
        answer = named_functions(mutant.source, exercise)
        if passes(exercise, answer, seconds=2.0):
            alive.append(mutant.change)
    other = [change for change in alive if not any(piece in change for piece in EQUIVALENT)]
    print(f"{exercise.slug}: {len(candidates) - len(alive)} of {len(candidates)} rejected, {alive}")
    assert len(candidates) >= 15
    assert len(alive) <= 0.05 * len(candidates), "the catalogue counts the equivalent ones too"
    assert other == []
