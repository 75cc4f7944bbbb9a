"""What the catalogue asks of every exercise, asked of three of chapter 03 without the catalogue."""

import re
from typing import Any

import pytest
import torch

from bottomup.exercises.checking import AT_A_GLANCE, examine, passes
from bottomup.exercises.checking import _elements as elements
from bottomup.exercises.exercise import Exercise
from bottomup.exercises.multi_head_attention.multi_head_attention import MULTI_HEAD_ATTENTION
from bottomup.exercises.multi_head_attention.prune_head import PRUNE_HEAD
from bottomup.exercises.multi_head_attention.split_merge_heads import SPLIT_MERGE_HEADS
from bottomup.exercises.stub import stub_answer
from tests.exercises.mutants import mutants

EXERCISES = [SPLIT_MERGE_HEADS, MULTI_HEAD_ATTENTION, PRUNE_HEAD]
WRONG = [
    (exercise, misconception, wrong)
    for exercise in EXERCISES
    for misconception in exercise.misconceptions
    for wrong in (misconception.wrong, *misconception.variants)
]
# Mutants that give the same values on every allowed input, by what they change, with the reason.
EQUIVALENT = {
    "transpose(2, 1)": "transposing is symmetric in its axes",
    "len(-W_Q)": "a sign does not change a length",
    "len(-W_V)": "a sign does not change a length",
}


def slug(value: Any) -> str | None:
    return getattr(value, "slug", None)


each = pytest.mark.parametrize("exercise", EXERCISES, ids=slug)


@each
def test_the_stub_is_not_solved_and_every_right_answer_passes(exercise: Exercise):
    namespace: dict[str, Any] = {"torch": torch}
    exec(exercise.source, namespace)
    assert examine(exercise, stub_answer(exercise)).status == "unsolved"
    for answer in (namespace[exercise.answer_name], *exercise.alternatives):
        assert examine(exercise, answer).passed, answer


@pytest.mark.parametrize("exercise, misconception, wrong", WRONG, ids=slug)
def test_every_misconception_is_named_as_itself(exercise, misconception, wrong):
    report = examine(exercise, wrong)
    assert report.misconception == misconception.slug, report
    if wrong is misconception.wrong:
        assert misconception.case in ("", report.case)


@each
def test_the_parts_are_complete(exercise: Exercise):
    headings = {"Split, attend, merge", "The formula", "What W_O does", "Remove a head"}
    assert {misconception.see for misconception in exercise.misconceptions} <= headings
    assert len(exercise.misconceptions) >= 3
    assert 2 <= len(exercise.hints) <= 4
    assert len(exercise.source.splitlines()) <= 15
    assert max(map(len, exercise.stub.splitlines())) <= 76
    assert elements(dict(exercise.cases[0].inputs)) <= AT_A_GLANCE
    for misconception in exercise.misconceptions:
        assert 2 <= len(re.findall(r"[.?](?= |$)", misconception.diagnosis)) <= 5


@pytest.mark.slow
@each
def test_the_cases_reject_mutants_of_the_solution(exercise: Exercise):
    candidates = mutants(exercise.source)
    alive = []
    for mutant in candidates:
        namespace: dict[str, Any] = {"torch": torch}
        exec(compile(mutant.source, "<mutant>", "exec"), namespace)
        if passes(exercise, namespace[exercise.answer_name], seconds=2.0):
            alive.append(mutant.change)
    other = [change for change in alive if not any(piece in change for piece in EQUIVALENT)]
    assert len(candidates) >= 15
    assert len(other) <= 0.05 * len(candidates), other
