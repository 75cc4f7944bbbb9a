"""Values of chapter 02b's solution, worked out by hand, and typical slips."""

import torch

from bottomup.attention import intra_attention
from bottomup.exercises import catalog
from tests.exercises.trials.verdicts import expected_of, named, report_on

INTRA_ATTENTION = catalog()["intra-attention"]


def test_intra_attention_of_the_first_case():
    output = expected_of(INTRA_ATTENTION, 0)
    # products: 1 0 1, 0 1 1, 1 1 2; biases: 0 to the right, -1 itself, 1 to the left
    scores = torch.tensor([[[0.0, 0, 1], [1, 0, 1], [2, 2, 1]]])
    torch.testing.assert_close(output, scores.softmax(-1) @ torch.tensor([[1.0], [10], [100]]))


def test_the_library_s_output_passes():
    assert report_on(INTRA_ATTENTION, lambda *inputs: intra_attention(*inputs)[0]).passed


def test_a_negative_index_is_named():
    def answer(features, words, bias):
        n, r = features.shape[1], len(bias) // 2
        index = torch.arange(n)[:, None] - torch.arange(n)
        scores = features @ features.mT + bias[index.clamp(-r, r)]
        return scores.softmax(-1) @ words

    assert named(INTRA_ATTENTION, answer) == "centre-forgotten"


def test_scaled_features_are_named():
    def answer(features, words, bias):
        return intra_attention(features / features.shape[-1] ** 0.25, words, bias)[0]

    assert named(INTRA_ATTENTION, answer) == "scaled"


def test_a_bias_that_multiplies_is_named():
    def answer(features, words, bias):
        n, r = features.shape[1], len(bias) // 2
        distance = (torch.arange(n)[:, None] - torch.arange(n)).clamp(-r, r)
        return ((features @ features.mT) * bias[distance + r]).softmax(-1) @ words

    assert named(INTRA_ATTENTION, answer) == "bias-as-a-factor"


def test_a_causal_mask_is_named():
    def answer(features, words, bias):
        n, r = features.shape[1], len(bias) // 2
        distance = torch.arange(n)[:, None] - torch.arange(n)
        scores = features @ features.mT + bias[distance.clamp(-r, r) + r]
        return scores.masked_fill(distance < 0, -1e9).softmax(-1) @ words

    assert named(INTRA_ATTENTION, answer) == "later-words-hidden"


def test_a_distance_clipped_one_step_too_soon_is_named():
    def answer(features, words, bias):
        n, r = features.shape[1], len(bias) // 2
        index = (torch.arange(n)[:, None] - torch.arange(n)).clamp(-r + 1, r - 1) + r
        return (features @ features.mT + bias[index]).softmax(-1) @ words

    assert named(INTRA_ATTENTION, answer) == "clipped-too-soon"


def test_output_and_weights_together_are_not_what_is_asked():
    report = report_on(INTRA_ATTENTION, intra_attention)
    assert not report.passed
    assert report.misconception is None
