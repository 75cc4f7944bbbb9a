"""Values of chapter 02b's solution, worked out by hand, and typical slips."""

import torch

from bottomup.attention import intra_attention
from bottomup.exercises import catalog
from tests.exercises.trials.verdicts import expected_of, named, report_on, wrong_answers

INTRA_ATTENTION = catalog()["intra-attention"]


def test_intra_attention_of_the_first_case():
    output = expected_of(INTRA_ATTENTION, 0)
    # products: 1 0 1, 0 1 1, 1 1 2; biases: 0 to the right, -1 itself, 1 to the left
    scores = torch.tensor([[[0.0, 0, 1], [1, 0, 1], [2, 2, 1]]])
    torch.testing.assert_close(output, scores.softmax(-1) @ torch.tensor([[1.0], [10], [100]]))


def test_the_library_s_output_passes():
    assert report_on(INTRA_ATTENTION, lambda *inputs: intra_attention(*inputs)[0]).passed


def negative_index(features, words, bias):
    n, r = features.shape[1], len(bias) // 2
    index = torch.arange(n)[:, None] - torch.arange(n)
    scores = features @ features.mT + bias[index.clamp(-r, r)]
    return scores.softmax(-1) @ words


def scaled_features(features, words, bias):
    return intra_attention(features / features.shape[-1] ** 0.25, words, bias)[0]


def bias_multiplied(features, words, bias):
    n, r = features.shape[1], len(bias) // 2
    distance = (torch.arange(n)[:, None] - torch.arange(n)).clamp(-r, r)
    return ((features @ features.mT) * bias[distance + r]).softmax(-1) @ words


def causal_mask(features, words, bias):
    n, r = features.shape[1], len(bias) // 2
    distance = torch.arange(n)[:, None] - torch.arange(n)
    scores = features @ features.mT + bias[distance.clamp(-r, r) + r]
    return scores.masked_fill(distance < 0, -1e9).softmax(-1) @ words


def clipped_one_step_too_soon(features, words, bias):
    n, r = features.shape[1], len(bias) // 2
    index = (torch.arange(n)[:, None] - torch.arange(n)).clamp(-r + 1, r - 1) + r
    return (features @ features.mT + bias[index]).softmax(-1) @ words


@wrong_answers(
    {
        "centre-forgotten": negative_index,
        "scaled": scaled_features,
        "bias-as-a-factor": bias_multiplied,
        "later-words-hidden": causal_mask,
        "clipped-too-soon": clipped_one_step_too_soon,
    }
)
def test_a_slip_in_attention_by_distance_is_named(wrong, mistake: str):
    assert named(INTRA_ATTENTION, wrong) == mistake


def test_output_and_weights_together_are_not_what_is_asked():
    report = report_on(INTRA_ATTENTION, intra_attention)
    assert not report.passed
    assert report.misconception is None
