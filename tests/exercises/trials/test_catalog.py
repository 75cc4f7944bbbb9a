"""What every exercise of the course has to keep. Its wrong answers: `test_wrong_answers`."""

import ast
import re
from typing import Any

import pytest
import torch
from markdown_it import MarkdownIt
from torch import Tensor

from bottomup.exercises import Exercise, catalog
from bottomup.exercises.engine.checking import examine
from bottomup.exercises.engine.evidence import AT_A_GLANCE, elements
from bottomup.exercises.engine.exercise import call_with_inputs
from bottomup.exercises.engine.runner import attempt, disagreement
from bottomup.exercises.engine.stub import stub_answer

EXERCISES = list(catalog().values())
each = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.slug)


def takes_what_can_change(exercise: Exercise) -> bool:
    inputs = [value for case in exercise.cases for value in case.inputs.values()]
    return any(isinstance(value, Tensor | list | dict | set) for value in inputs)


# ---- Right answers


@each
def test_the_stub_is_not_solved_yet_and_the_solution_passes_as_a_reader_pastes_it(
    exercise: Exercise,
):
    report = examine(exercise, stub_answer(exercise))
    assert report.status == "unsolved" and not report.passed
    namespace: dict[str, Any] = {"torch": torch, "nn": torch.nn}
    exec(exercise.source, namespace)
    torch.set_default_dtype(torch.float64)  # inputs are drawn as torch starts, all the same
    try:
        report = examine(exercise, namespace[exercise.answer_name])
    finally:
        torch.set_default_dtype(torch.float32)
    assert report.passed, report


@each
def test_every_other_right_answer_passes(exercise: Exercise):
    for answer in (*exercise.alternatives, *exercise.also_right):
        report = examine(exercise, answer)
        assert report.passed, report


@each
def test_the_solution_gives_what_was_worked_out_by_hand(exercise: Exercise):
    for case in exercise.cases:
        if case.gives is not None:
            value = attempt(exercise, exercise.solution, case).value
            assert disagreement(exercise, value, case.gives(), case) is None, case.name


@each
def test_a_right_answer_that_changes_its_inputs_is_told_so(exercise: Exercise):
    def spoil(*inputs: Any) -> Any:
        result = exercise.solution(*inputs)
        for value in inputs:
            if isinstance(value, Tensor):
                value.zero_()
            elif isinstance(value, list | dict | set):
                value.clear()
        return result

    if not takes_what_can_change(exercise):
        pytest.skip("no input of this exercise can be changed")
    report = examine(exercise, spoil)
    assert not report.passed
    assert "changes its input" in report.message


# ---- Texts and cases


@each
def test_the_parts_are_complete(exercise: Exercise):
    slugs = [mistake.slug for mistake in exercise.mistakes]
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", exercise.slug)
    assert re.fullmatch(r"\d\db?", exercise.chapter)
    assert 1 <= exercise.difficulty <= 5 and 1 <= exercise.importance <= 5
    assert 1 <= exercise.minutes <= 60
    assert 2 <= len(exercise.hints) <= 4
    assert len(exercise.alternatives) >= 1
    assert len(set(slugs)) == len(slugs) >= 3
    assert len({case.name for case in exercise.cases}) == len(exercise.cases) >= 4
    assert elements(dict(exercise.cases[0].inputs)) <= AT_A_GLANCE  # to be checked by hand
    for mistake in exercise.mistakes:
        assert 2 <= len(re.findall(r"[.?](?= |$)", mistake.diagnosis)) <= 5, mistake.slug
        assert "!" not in mistake.diagnosis


@each
def test_a_report_shows_a_text_as_a_page_does_since_only_code_is_marked_up(exercise: Exercise):
    texts = [*exercise.hints, *(mistake.diagnosis for mistake in exercise.mistakes)]
    blocks = [block for text in texts for block in MarkdownIt("commonmark").parse(text)]
    marks = {token.type for block in blocks for token in (block, *(block.children or ()))}
    assert marks <= {"paragraph_open", "inline", "paragraph_close", "text", "code_inline"}


@each
def test_a_stub_says_what_is_asked(exercise: Exercise):
    stub = " ".join(exercise.stub.split())
    assert exercise.stub.endswith("\n")
    if takes_what_can_change(exercise):
        assert re.search("in place|arguments unchanged", stub)
    if any(case.wants_gradients for case in exercise.cases):
        assert re.search("gradients? must flow back|gradient (does|is that)", stub)
    if exercise.run is call_with_inputs:  # otherwise an answer gets something else
        body = ast.parse(exercise.stub).body
        (function,) = (node for node in body if isinstance(node, ast.FunctionDef))
        arguments = [arg.arg for arg in (*function.args.posonlyargs, *function.args.args)]
        for case in exercise.cases:
            assert list(case.inputs) == arguments[: len(case.inputs)], case.name
