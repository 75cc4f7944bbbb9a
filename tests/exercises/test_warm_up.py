"""Values of chapter 00's solutions, worked out by hand."""

import math

import pytest
import torch

from bottomup.exercises import catalog


def expected_of(slug: str, case: int):
    exercise = catalog()[slug]
    return exercise.run(exercise.solution, exercise.cases[case].fresh())


def test_stable_softmax_of_zero_and_log_three():
    torch.testing.assert_close(expected_of("stable-softmax", 0), torch.tensor([0.25, 0.75]))


def test_stable_softmax_of_minus_infinity_is_zero():
    rows = torch.tensor([[0.25, 0.25, 0.5], [0.75, 0.25, 0.0]])
    torch.testing.assert_close(expected_of("stable-softmax", 1), rows)


def test_stable_softmax_of_a_thousand():
    e = math.exp(1)
    weights = torch.tensor([[1 / (1 + e), e / (1 + e)]])
    torch.testing.assert_close(expected_of("stable-softmax", 5), weights)


def test_padded_cross_entropy_of_three_real_tokens():
    # p = 1/2, 1/4 and 1/8: 1, 2 and 3 bits
    assert expected_of("padded-cross-entropy", 0).item() == pytest.approx(2 * math.log(2))


@pytest.mark.parametrize(
    "case, words",
    [
        (0, [["lo", "w"], ["s", "lo", "w"], ["o", "l", "d"]]),
        (1, [["lo", "lo"], ["a", "lo", "b", "lo"]]),
        (2, [["aa", "a"], ["aa", "aa", "a"], ["a"]]),
        (3, [["s", "lower"], ["lower", "er"], ["lo", "w", "er"]]),
        (4, [["x", "a"], ["b", "y"], ["ab"]]),
        (5, [["ba", "b", "c"], ["a", "bb"], ["ab", "c"]]),
        (6, [["l", "ow"], ["low"], ["low"]]),
        (7, [["b", "a"], ["b", "ab"], ["ab", "ab"]]),
    ],
)
def test_merges_of_small_words(case: int, words: list[list[str]]):
    assert expected_of("bpe-merge", case) == words
