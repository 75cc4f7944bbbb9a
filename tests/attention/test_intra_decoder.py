"""Temporal and intra-decoder attention: values by hand, masks, gradients, bad input."""

import math

import pytest
import torch

from bottomup.attention import intra_decoder_attention, temporal_attention
from tests.drawn import randn

BATCH, STEPS, KEYS, D_VALUE, D_STATE = 2, 3, 5, 7, 11


def test_temporal_attention_by_hand_on_three_words():
    # exp of the scores: 1 2 1, then 1 2 5, then 4 4 6
    scores = torch.tensor([[1.0, 2.0, 1.0], [1.0, 2.0, 5.0], [4.0, 4.0, 6.0]]).log()
    output, weights = temporal_attention(scores, torch.tensor([[1.0], [10.0], [100.0]]))
    expected = [
        [1 / 4, 2 / 4, 1 / 4],  # as a softmax
        [1 / 7, 1 / 7, 5 / 7],  # 1/1, 2/2, 5/1
        [2 / 4, 1 / 4, 1 / 4],  # 4/2, 4/4, 6/6
    ]
    torch.testing.assert_close(weights, torch.tensor(expected))
    assert output[1].item() == pytest.approx(511 / 7)


def test_large_scores_do_not_overflow():
    scores = torch.tensor([[200.0, 0.0], [201.0, 0.0], [-300.0, -301.0]])
    _, weights = temporal_attention(scores, torch.ones(2, 1))
    torch.testing.assert_close(weights[1], torch.tensor([1.0, 0.0]).softmax(0))
    assert weights.isfinite().all()
    # 200 and 201 together weigh log(e^200 + e^201), 0 and 0 weigh log 2
    past = 201 + math.log1p(math.exp(-1))
    expected = torch.tensor([-300 - past, -301 - math.log(2)]).softmax(0)
    torch.testing.assert_close(weights[2], expected)


def test_a_masked_key_is_not_read_and_counts_for_nothing():
    scores = randn(3, 2)
    mask = torch.tensor([[True, False], [True, True], [True, True]])
    _, weights = temporal_attention(scores, torch.eye(2, dtype=torch.float64), mask)
    assert weights[0].tolist() == [1.0, 0.0]
    e = scores.exp()
    second = torch.stack([e[1, 0] / e[0, 0], e[1, 1]])  # the second key is new at step 1
    third = torch.stack([e[2, 0] / (e[0, 0] + e[1, 0]), e[2, 1] / e[1, 1]])
    torch.testing.assert_close(weights[1], second / second.sum())
    torch.testing.assert_close(weights[2], third / third.sum())


def test_a_step_that_may_read_nothing_gives_zeros_and_finite_gradients():
    scores = randn(STEPS, KEYS).requires_grad_()
    mask = torch.ones(STEPS, KEYS, dtype=torch.bool)
    mask[1] = False
    output, weights = temporal_attention(scores, randn(KEYS, D_VALUE), mask)
    output.sum().backward()
    assert output[1].abs().sum() == weights[1].abs().sum() == 0
    assert weights[2].sum().item() == pytest.approx(1)
    assert scores.grad.isfinite().all()
    assert scores.grad[1].abs().sum() == 0


def test_gradients_are_right():
    mask = torch.tensor([[False, True, True], [True, True, False], [True, True, True]])
    scores, value = randn(3, 3).requires_grad_(), randn(3, 2).requires_grad_()
    assert torch.autograd.gradcheck(temporal_attention, (scores, value))
    assert torch.autograd.gradcheck(lambda *x: temporal_attention(*x, mask), (scores, value))
    states, W_d = randn(3, 2).requires_grad_(), randn(2, 2, seed=2).requires_grad_()
    assert torch.autograd.gradcheck(intra_decoder_attention, (states, W_d))


def test_intra_decoder_attention_by_hand_on_three_steps():
    states = torch.tensor([[math.log(2)], [2.0], [1.0]])
    output, weights = intra_decoder_attention(states, torch.tensor([[1.0]]))
    # step 2 scores ln 2 and 2: the weights are 2 : e^2
    share = 2 / (2 + math.exp(2))
    expected = [[0, 0, 0], [1, 0, 0], [share, 1 - share, 0]]
    torch.testing.assert_close(weights, torch.tensor(expected))
    by_hand = [0.0, math.log(2), share * math.log(2) + (1 - share) * 2]
    assert output[:, 0].tolist() == pytest.approx(by_hand)


def test_intra_decoder_attention_with_a_mask_and_in_a_batch_of_one():
    states, W_d = randn(BATCH, 4, D_STATE), randn(D_STATE, D_STATE, seed=2)
    mask = torch.tensor([[[True] * 4], [[False, True, True, True]]])
    output, weights = intra_decoder_attention(states, W_d, mask)
    alone, _ = intra_decoder_attention(states[1:, 1:], W_d)
    torch.testing.assert_close(output[1:, 1:], alone)
    assert weights[1, :, 0].abs().sum() == 0
    torch.testing.assert_close(output[:1], intra_decoder_attention(states[:1], W_d)[0])


def test_bad_input_is_named():
    scores, value, states = randn(3, 5), randn(5, 7), randn(3, 11)
    with pytest.raises(ValueError, match=r"mask: expected a shape that broadcasts to \(3, 5\)"):
        temporal_attention(scores, value, torch.ones(5, 3, dtype=torch.bool))
    with pytest.raises(ValueError, match=r"mask: expected a shape that broadcasts to \(3, 3\)"):
        intra_decoder_attention(states, randn(11, 11), torch.ones(2, 3, dtype=torch.bool))
