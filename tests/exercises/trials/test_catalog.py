"""What every exercise of the course has to keep."""

import ast
import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import bottomup.analysis
import bottomup.attention
import bottomup.blocks
import bottomup.data
import bottomup.decoding
import bottomup.masks
import bottomup.metrics
import bottomup.training
from bottomup.exercises import Exercise, catalog
from bottomup.exercises.engine.checking import examine
from bottomup.exercises.engine.evidence import AT_A_GLANCE, elements
from bottomup.exercises.engine.exercise import Case, call_with_inputs
from bottomup.exercises.engine.runner import attempt, disagreement
from bottomup.exercises.engine.stub import stub_answer

EXERCISES = list(catalog().values())
RIGHT = [(e, answer) for e in EXERCISES for answer in (*e.alternatives, *e.also_right)]
BY_HAND = [(e, case) for e in EXERCISES for case in e.cases if case.gives]
LIBRARY = {
    "padded-cross-entropy": bottomup.training.token_cross_entropy,
    "bpe-merge": bottomup.data.merge_pair,
    "masked-softmax": bottomup.attention.masked_softmax,
    "additive-score": bottomup.attention.additive_scores,
    "general-score": bottomup.attention.general_scores,
    "aer": bottomup.metrics.alignment_error_rate,
    "local-p-window": bottomup.attention.local_p_weights,
    "reinforce-loss": bottomup.attention.reinforce_loss,
    "scaled-dot-product-attention": bottomup.attention.scaled_dot_product_attention,
    "causal-mask": bottomup.masks.causal_mask,
    "sinusoidal-positions": bottomup.blocks.sinusoidal_positions,
    "lin-penalty": bottomup.attention.overlap_penalty,
    "layer-norm": bottomup.blocks.layer_norm,
    "feature-dimensions": bottomup.analysis.feature_dimensions,
    "temperature": bottomup.decoding.softmax_with_temperature,
}


def name(value: Any) -> str | None:
    return getattr(value, "slug", None) or getattr(value, "__name__", None)


each = pytest.mark.parametrize("exercise", EXERCISES, ids=name)


@each
def test_the_stub_is_reported_as_not_solved_yet(exercise: Exercise):
    report = examine(exercise, stub_answer(exercise))
    assert report.status == "unsolved"
    assert not report.passed


@each
def test_the_solution_passes_as_the_reader_would_paste_it(exercise: Exercise):
    namespace: dict[str, Any] = {"torch": torch, "nn": torch.nn}
    exec(exercise.source, namespace)
    assert examine(exercise, namespace[exercise.answer_name]).passed


@pytest.mark.parametrize("exercise, answer", RIGHT, ids=name)
def test_every_other_right_answer_passes(exercise: Exercise, answer: Callable[..., Any]):
    report = examine(exercise, answer)
    assert report.passed, report


@pytest.mark.parametrize("exercise, case", BY_HAND, ids=name)
def test_the_solution_gives_what_was_worked_out_by_hand(exercise: Exercise, case: Case):
    value = attempt(exercise, exercise.solution, case).value
    assert case.gives is not None
    assert disagreement(exercise, value, case.gives(), case) is None


@pytest.mark.parametrize("slug", LIBRARY)
def test_the_library_s_own_function_passes(slug: str):
    report = examine(catalog()[slug], LIBRARY[slug])
    assert report.passed, report


@each
def test_the_parts_are_complete(exercise: Exercise):
    slugs = [mistake.slug for mistake in exercise.mistakes]
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", exercise.slug)
    assert re.fullmatch(r"\d\db?", exercise.chapter)
    assert 1 <= exercise.difficulty <= 5
    assert 1 <= exercise.importance <= 5
    assert 1 <= exercise.minutes <= 60
    assert 2 <= len(exercise.hints) <= 4
    assert len(exercise.alternatives) >= 1
    assert len(set(slugs)) == len(slugs) >= 3
    assert len({case.name for case in exercise.cases}) == len(exercise.cases) >= 4
    assert exercise.stub.endswith("\n")


@each
def test_the_inputs_of_a_case_have_the_names_of_the_stub_s_arguments(exercise: Exercise):
    if exercise.run is not call_with_inputs:  # then an answer gets something else
        return
    (stub,) = (node for node in ast.parse(exercise.stub).body if isinstance(node, ast.FunctionDef))
    arguments = [argument.arg for argument in (*stub.args.posonlyargs, *stub.args.args)]
    for case in exercise.cases:
        assert list(case.inputs) == arguments[: len(case.inputs)], case.name


@each
def test_the_first_case_can_be_checked_by_hand(exercise: Exercise):
    assert elements(dict(exercise.cases[0].inputs)) <= AT_A_GLANCE


@each
def test_a_diagnosis_says_why_in_a_few_sentences(exercise: Exercise):
    for mistake in exercise.mistakes:
        sentences = re.findall(r"[.?](?= |$)", mistake.diagnosis)
        assert 2 <= len(sentences) <= 5, mistake.slug
        assert "!" not in mistake.diagnosis


def takes_changeable_input(case: Case) -> bool:
    return any(isinstance(value, Tensor | list | dict | set) for value in case.inputs.values())


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

    if not any(takes_changeable_input(case) for case in exercise.cases):
        pytest.skip("no input of this exercise can be changed")
    report = examine(exercise, spoil)
    assert not report.passed
    assert "changes its input" in report.message
