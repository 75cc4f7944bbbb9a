"""Values of chapter 01's solutions, worked out by hand."""

import math

import pytest
import torch

from bottomup.exercises import catalog


def expected_of(slug: str, case: int):
    exercise = catalog()[slug]
    return exercise.run(exercise.solution, exercise.cases[case].fresh())


def test_masked_softmax_over_two_of_three_positions():
    weights = expected_of("masked-softmax", 0)  # e^0 : e^ln 3 = 1 : 3
    torch.testing.assert_close(weights, torch.tensor([[0.25, 0.75, 0], [0.75, 0.25, 0]]))


def test_masked_softmax_of_an_empty_row_is_zero():
    weights = catalog()["masked-softmax"].solution(torch.ones(1, 2), torch.tensor([[False, False]]))
    assert weights.tolist() == [[0.0, 0.0]]


def test_additive_scores_of_the_first_case():
    scores = expected_of("additive-score", 0)
    hidden = [  # W_a q + U_a k, for q = 1 and q = -1
        [(2, 2), (1, 3), (2, 3)],
        [(0, -2), (-1, -1), (0, -1)],
    ]
    by_hand = [[2 * math.tanh(a) - math.tanh(b) for a, b in row] for row in hidden]
    torch.testing.assert_close(scores, torch.tensor([by_hand]))


def test_general_scores_of_the_first_case():
    # W_a k: (1, 4), (2 + 6, 5 + 12), (6, 15); the queries pick the first, and the sum
    assert expected_of("general-score", 0).tolist() == [[[1.0, 8.0, 6.0], [5.0, 25.0, 21.0]]]


@pytest.mark.parametrize(
    "case, rate",
    [
        (0, 1 - (1 + 1) / (2 + 2)),
        (1, 1 - (2 + 3) / (3 + 2)),
        (2, 0.0),
        (3, 1.0),
        (4, 1 - (1 + 1 + 1 + 2) / (1 + 1 + 4 + 4)),
    ],
)
def test_alignment_error_of_small_cases(case: int, rate: float):
    assert expected_of("aer", case) == pytest.approx(rate)
