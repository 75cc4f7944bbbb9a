"""Values of chapter 00's solutions, worked out by hand."""

import math

import pytest
import torch

from bottomup.data import merge_pair
from bottomup.exercises import catalog
from tests.exercises.trials.verdicts import expected_of, report_on

STABLE_SOFTMAX = catalog()["stable-softmax"]
PADDED_CROSS_ENTROPY = catalog()["padded-cross-entropy"]
BPE_MERGE = catalog()["bpe-merge"]


def test_stable_softmax_of_zero_and_log_three():
    torch.testing.assert_close(expected_of(STABLE_SOFTMAX, 0), torch.tensor([0.25, 0.75]))


def test_stable_softmax_of_minus_infinity_is_zero():
    rows = torch.tensor([[0.25, 0.25, 0.5], [0.75, 0.25, 0.0]])
    torch.testing.assert_close(expected_of(STABLE_SOFTMAX, 1), rows)


def test_stable_softmax_of_a_thousand():
    e = math.exp(1)
    weights = torch.tensor([[1 / (1 + e), e / (1 + e)]])
    torch.testing.assert_close(expected_of(STABLE_SOFTMAX, 5), weights)


def test_padded_cross_entropy_of_four_real_tokens():
    # p = 1/2, 1/2, 1/4 and 1/8: 1, 1, 2 and 3 bits; a blind guess among four has 2 bits
    assert expected_of(PADDED_CROSS_ENTROPY, 0).item() == pytest.approx(7 / 4 * math.log(2))


def test_padded_cross_entropy_of_tokens_behind_padding():
    p = [0.5, 0.8, 0.1, 0.5]
    by_hand = -sum(map(math.log, p)) / len(p)
    assert expected_of(PADDED_CROSS_ENTROPY, 2).item() == pytest.approx(by_hand)


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
    assert expected_of(BPE_MERGE, case) == words


def in_pieces(words, pair):
    return [token for word in merge_pair(words, pair) for token in word]


def test_a_wrong_word_is_named_with_its_tokens():
    report = report_on(BPE_MERGE, lambda words, pair: [["low"], *merge_pair(words, pair)[1:]])
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
    assert report_on(BPE_MERGE, answer).message.startswith(sentence)


def test_a_merge_in_place_is_told_about_values():
    def in_place(words, pair):
        words[:] = merge_pair(words, pair)
        return words

    assert "with other values than it passed" in report_on(BPE_MERGE, in_place).message


def test_a_sum_that_is_a_little_too_large_is_shown_with_the_digits_that_differ():
    def floored(scores):
        exponentials = (scores - scores.amax(-1, keepdim=True)).exp()
        return exponentials / (exponentials.sum(-1, keepdim=True) + 1e-6)

    report = report_on(STABLE_SOFTMAX, floored)
    assert report.misconception == "small-number-added"
    assert report.evidence.got != report.evidence.expected


@pytest.mark.parametrize("slug", ["stable-softmax", "padded-cross-entropy"])
def test_the_stub_says_that_a_gradient_must_flow_back(slug: str):
    assert "a gradient must flow back" in " ".join(catalog()[slug].stub.split())


def losses(logits, target):
    return -logits.log_softmax(-1).gather(-1, target[..., None])[..., 0]


def of_first_tokens(logits, target, mask):
    rows = [row[:n] for row, n in zip(losses(logits, target), mask.sum(1).tolist(), strict=True)]
    return torch.cat(rows).mean()


def until_padding(logits, target, mask):
    total, count = 0.0, 0
    for b, row in enumerate(losses(logits, target)):
        for i, nats in enumerate(row):
            if not mask[b, i]:
                break
            total, count = total + nats, count + 1
    return total / count


def with_zeros_at_padding(logits, target, mask):
    nats = losses(logits * mask[..., None], target)
    return nats.mean()


def with_infinity_at_padding(logits, target, mask):
    nats = losses(logits.masked_fill(~mask[..., None], -math.inf), target)
    return (nats * mask).sum() / mask.sum()


def with_number_zero_ignored(logits, target, mask):
    flat = logits.flatten(0, 1), (target * mask).flatten()
    return torch.nn.functional.cross_entropy(*flat, ignore_index=0)


def with_places_compared(logits, target, mask):
    one_hot = torch.nn.functional.one_hot(target, logits.shape[-1])
    return -(one_hot * logits.log_softmax(-1))[mask].mean()


@pytest.mark.parametrize(
    "answer, name",
    [
        (lambda logits, target, mask: losses(logits, target)[mask].mean(), None),
        (of_first_tokens, "places-ignored"),
        (until_padding, "places-ignored"),
        (with_zeros_at_padding, "padding-logits-zero"),
        (with_infinity_at_padding, "padding-logits-infinite"),
        (with_number_zero_ignored, "number-zero-is-padding"),
        (with_places_compared, "whole-vocabulary"),
    ],
)
def test_a_slip_in_the_padded_cross_entropy_is_named(answer, name: str | None):
    report = report_on(PADDED_CROSS_ENTROPY, answer)
    assert report.misconception == name, report
    assert report.passed == (name is None)


def test_zeros_at_padding_are_shown_on_a_case_to_follow_by_hand():
    report = report_on(PADDED_CROSS_ENTROPY, with_zeros_at_padding)
    assert report.case.startswith("two sentences; the right tokens have p =")


def test_a_token_that_is_lost_beside_the_old_list_is_named():
    def merge(words, pair):
        left, right = pair
        merged = []
        for word in words:
            tokens, before = [], None
            for token in word:
                if before == left and token == right:
                    tokens[-1] = left + right
                else:
                    tokens.append(token)
                before = token
            merged.append(tokens)
        return merged

    report = report_on(BPE_MERGE, merge)
    assert report.misconception == "beside-the-old-list"
    assert report.message.startswith("A token is lost")
