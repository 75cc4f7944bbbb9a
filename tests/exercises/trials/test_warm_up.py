"""What is said about answers to the exercises of chapter 00, beside the name of a mistake."""

import pytest

from bottomup.data import merge_pair
from bottomup.exercises import catalog
from bottomup.exercises.engine.checking import examine
from bottomup.exercises.engine.exercise import Exercise
from tests.exercises.trials.verdicts import Answer

BPE_MERGE = catalog()["bpe-merge"]


def purest(exercise: Exercise, slug: str) -> Answer:
    return next(mistake.answers[0] for mistake in exercise.mistakes if mistake.slug == slug)


def in_pieces(words, pair):
    return [token for word in merge_pair(words, pair) for token in word]


def test_a_wrong_word_is_named_with_its_tokens():
    report = examine(BPE_MERGE, lambda words, pair: [["low"], *merge_pair(words, pair)[1:]])
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
    assert examine(BPE_MERGE, answer).message.startswith(sentence)


def test_a_merge_in_place_is_told_so():
    def in_place(words, pair):
        words[:] = merge_pair(words, pair)
        return words

    message = examine(BPE_MERGE, in_place).message
    assert message.startswith("It returned the list that it was given, expected a new one.")
    assert message.endswith("It also changes its input words in place.")


def test_a_sum_that_is_a_little_too_large_is_shown_with_the_digits_that_differ():
    exercise = catalog()["stable-softmax"]
    report = examine(exercise, purest(exercise, "small-number-added"))
    assert report.evidence.got != report.evidence.expected


@pytest.mark.parametrize("slug", ["stable-softmax", "padded-cross-entropy"])
def test_the_stub_says_that_a_gradient_must_flow_back(slug: str):
    assert "a gradient must flow back" in " ".join(catalog()[slug].stub.split())


def test_zeros_at_padding_are_shown_on_a_case_to_follow_by_hand():
    exercise = catalog()["padded-cross-entropy"]
    report = examine(exercise, purest(exercise, "padding-logits-zero"))
    assert report.case.startswith("two sentences; the right tokens have p =")
