"""Attention within blocks and along columns, of chapter 07: against masks, its cost, reports."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup import attention
from bottomup.attention import fixed_masks, strided_masks
from bottomup.exercises import Exercise, catalog
from bottomup.exercises.engine.checking import examine
from bottomup.exercises.engine.runner import attempt
from tests.exercises.trials.verdicts import expected_of, is_plain

BLOCKED_LOCAL = catalog()["blocked-local"]
COLUMN_ATTENTION = catalog()["column-attention"]

BOTH = pytest.mark.parametrize(
    "exercise", [BLOCKED_LOCAL, COLUMN_ATTENTION], ids=lambda exercise: exercise.slug
)
COST = 8  # the case that counts


def under_a_mask(exercise: Exercise) -> Callable[..., Any]:
    def answer(q: Tensor, k: Tensor, v: Tensor, size: int) -> Tensor:
        n = q.shape[1]
        mask = fixed_masks(n, size)[0] if exercise is BLOCKED_LOCAL else strided_masks(n, size)[1]
        return F.scaled_dot_product_attention(q, k, v, mask)

    return answer


@BOTH
@pytest.mark.parametrize("case", range(2, 8))
def test_the_values_are_those_of_dense_attention_under_a_mask(exercise: Exercise, case: int):
    dense = under_a_mask(exercise)(*exercise.cases[case].inputs.values())
    torch.testing.assert_close(expected_of(exercise, case), dense)


@pytest.mark.parametrize(
    "exercise, answer",
    [
        (BLOCKED_LOCAL,
         lambda q, k, v, w: attention.block_attention(q[None], k[None], v[None], block=w)[0]),
        (COLUMN_ATTENTION,
         lambda q, k, v, w: attention.column_attention(q[None], k[None], v[None], stride=w)[0]),
    ],
)  # fmt: skip
def test_the_library_s_function_passes(exercise: Exercise, answer: Callable[..., Any]):
    assert examine(exercise, answer).passed


# ---- The cost


@BOTH
def test_the_right_answers_compute_far_less_than_every_pair(exercise: Exercise):
    for answer in (exercise.solution, *exercise.alternatives):
        counted = attempt(exercise, answer, exercise.cases[COST]).value
        assert not counted["every pair"]
        assert counted["numbers computed"] < 512 * 512 / 4


@BOTH
def test_a_dense_product_under_a_mask_is_told_how_much_is_enough(exercise: Exercise):
    report = examine(exercise, under_a_mask(exercise))
    assert report.mistake == "dense-under-a-mask"
    assert "The output is right, but " in repr(report)
    assert "are enough (all results on the way count: scores, weights, outputs)" in repr(report)
    assert report.case == exercise.cases[COST].name


@BOTH
def test_every_other_case_of_a_dense_answer_agrees(exercise: Exercise):
    for index, case in enumerate(exercise.cases):
        trial = attempt(exercise, under_a_mask(exercise), case)
        expected = attempt(exercise, exercise.solution, case).value
        assert (exercise.compare(trial.value, expected, case) is None) == (index != COST)


# ---- Reports


@BOTH
@pytest.mark.parametrize(
    "change, sentence",
    [
        (lambda output, *inputs: output.unflatten(1, (-1, inputs[-1])), "The result has shape"),
        (lambda output, *inputs: (output, None), "expected a tensor"),
        (lambda output, q, k, v, size: output + v, "values differ"),
        (lambda output, *inputs: output.numpy(), "It returned a NumPy array"),
    ],
)
def test_another_output_gets_a_plain_report(
    exercise: Exercise, change: Callable[..., Any], sentence: str
):
    assert is_plain(exercise, lambda *inputs: change(exercise.solution(*inputs), *inputs), sentence)


@BOTH
def test_a_score_written_into_the_input_is_seen(exercise: Exercise):
    def in_place(q, k, v, size):
        q /= q.shape[-1] ** 0.5
        return exercise.solution(q * q.shape[-1] ** 0.5, k, v, size)

    assert "changes its input q in place" in examine(exercise, in_place).message
