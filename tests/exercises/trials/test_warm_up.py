"""Values of chapter 00's solutions, worked out by hand."""

import math

import pytest
import torch

from bottomup.data import merge_pair
from bottomup.exercises import catalog
from bottomup.exercises.checking import examine


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


def test_padded_cross_entropy_of_four_real_tokens():
    # p = 1/2, 1/2, 1/4 and 1/16: 1, 1, 2 and 4 bits
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


def report_on(slug: str, answer):
    return examine(catalog()[slug], answer)


def in_pieces(words, pair):
    return [token for word in merge_pair(words, pair) for token in word]


def test_a_wrong_word_is_named_with_its_tokens():
    report = report_on("bpe-merge", lambda words, pair: [["low"], *merge_pair(words, pair)[1:]])
    assert report.message.startswith("Word 1: got ['low'], expected ['lo', 'w'].")


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (in_pieces, "It returned 8 values, expected 3 values."),
        (lambda words, pair: 7, "It returned a number, expected 3 values."),
        (lambda words, pair: [1, 2, 3], "Word 1: got 1, expected ['lo', 'w']."),
    ],
)
def test_what_is_no_list_of_words_is_described(answer, sentence: str):
    assert report_on("bpe-merge", answer).message.startswith(sentence)


def test_a_merge_in_place_is_told_about_values():
    def in_place(words, pair):
        words[:] = merge_pair(words, pair)
        return words

    assert "with other values than it passed" in report_on("bpe-merge", in_place).message


def test_a_sum_that_is_a_little_too_large_is_shown_with_the_digits_that_differ():
    def floored(scores):
        exponentials = (scores - scores.amax(-1, keepdim=True)).exp()
        return exponentials / (exponentials.sum(-1, keepdim=True) + 1e-6)

    report = report_on("stable-softmax", floored)
    assert report.misconception == "small-number-added"
    assert report.evidence.got != report.evidence.expected


@pytest.mark.parametrize("slug", ["stable-softmax", "padded-cross-entropy"])
def test_the_stub_says_that_a_gradient_must_flow_back(slug: str):
    assert "a gradient must flow back" in " ".join(catalog()[slug].stub.split())
