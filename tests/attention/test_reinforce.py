"""REINFORCE: by hand, against the exact gradient by enumeration, and its baseline."""

import itertools
import math

import pytest
import torch

from bottomup.attention import (
    MovingBaseline,
    expected_log_likelihood,
    masked_softmax,
    moving_baseline,
    one_hot_positions,
    position_log_probability,
    reinforce_loss,
)
from tests.drawn import randn

QUERIES, KEYS, WIDTH, WORDS = 2, 3, 5, 7


def test_one_draw_by_hand():
    # p = (.2, .3, .5), z = 1, r = -2, b = -3: the bracket is 1.
    # Gradient of the loss by the score: -(1[j = z] - p_j). By r: -1.
    weights = torch.tensor([[0.2, 0.3, 0.5]], dtype=torch.float64)
    scores = weights.log().requires_grad_()
    reward = torch.tensor([-2.0], dtype=torch.float64, requires_grad=True)
    log_probability = position_log_probability(masked_softmax(scores), torch.tensor([1]))
    loss = reinforce_loss(reward, log_probability, -3.0)
    assert loss.item() == pytest.approx(2 - math.log(0.3))
    loss.backward()
    torch.testing.assert_close(scores.grad, torch.tensor([[0.2, -0.7, 0.5]]).double())
    assert reward.grad.tolist() == [-1.0]


def model_of(parameters):
    """Weights and log-likelihoods that share the source vectors, so that both terms matter."""
    query, source, readout = parameters
    weights = masked_softmax(query @ source.T)
    log_likelihood = (source @ readout).log_softmax(-1)[:, 0].expand(QUERIES, KEYS)
    return weights, log_likelihood * torch.tensor([[1.0], [3.0]])


def parameters():
    shapes = [(QUERIES, WIDTH), (KEYS, WIDTH), (WIDTH, WORDS)]
    return [randn(*shape, seed=seed).requires_grad_() for seed, shape in enumerate(shapes)]


@pytest.mark.parametrize("baseline", [0.0, -2.5, torch.tensor([[1.0], [-7.0]]).double()])
def test_the_mean_over_all_draws_is_exactly_the_exact_gradient(baseline):
    inputs = parameters()
    weights, log_likelihood = model_of(inputs)
    exact = torch.autograd.grad(-expected_log_likelihood(weights, log_likelihood).mean(), inputs)
    mean = [torch.zeros_like(tensor) for tensor in inputs]
    for drawn in itertools.product(range(KEYS), repeat=QUERIES):
        weights, log_likelihood = model_of(inputs)
        positions = torch.tensor(drawn)
        read = (one_hot_positions(positions, KEYS, dtype=torch.float64) * log_likelihood).sum(-1)
        log_probability = position_log_probability(weights, positions)
        b = baseline if isinstance(baseline, float) else baseline[:, 0]
        found = torch.autograd.grad(reinforce_loss(read, log_probability, b), inputs)
        probability = log_probability.detach().sum().exp()
        mean = [total + probability * one for total, one in zip(mean, found, strict=True)]
    for one, other in zip(mean, exact, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-12)


def test_neither_the_baseline_nor_the_reward_in_the_bracket_carries_a_gradient():
    reward = randn(KEYS).requires_grad_()
    log_probability = randn(KEYS, seed=2).requires_grad_()
    baseline = randn(KEYS, seed=3).requires_grad_()
    reinforce_loss(reward, log_probability, baseline).backward()
    assert baseline.grad is None
    torch.testing.assert_close(reward.grad, torch.full_like(reward, -1 / KEYS))
    torch.testing.assert_close(log_probability.grad, -(reward - baseline).detach() / KEYS)


def test_the_moving_baseline_by_hand():
    # 0, then .1 · (-2) = -.2, then .9 · (-.2) + .1 · (-4) = -.58
    baseline = MovingBaseline().double()
    assert baseline.value.item() == 0
    baseline.update(torch.tensor([-1.0, -3.0]).double())
    assert baseline.value.item() == pytest.approx(-0.2)
    baseline.update(torch.tensor([[-4.0]]).double())
    assert baseline.value.item() == pytest.approx(-0.58)
    assert moving_baseline(-0.2, torch.tensor([-4.0])).item() == pytest.approx(-0.58)


def test_the_moving_baseline_is_a_buffer_without_gradient():
    baseline = MovingBaseline(decay=0.5)
    baseline.update(torch.tensor([-3.0], requires_grad=True))
    assert not baseline.value.requires_grad
    assert list(baseline.parameters()) == []
    other = MovingBaseline(decay=0.5)
    other.load_state_dict(baseline.state_dict())
    assert other.value.item() == -1.5


def test_bad_input_is_named():
    reward = randn(KEYS)
    with pytest.raises(ValueError, match=r"log_probability: expected the leading axes \(3,\)"):
        reinforce_loss(reward, reward[:, None])
    with pytest.raises(ValueError, match="log_likelihood: expected at least one draw"):
        reinforce_loss(reward[:0], reward[:0])
    with pytest.raises(ValueError, match=r"baseline: expected a shape that broadcasts to \(3,\)"):
        reinforce_loss(reward, reward, torch.zeros(2))
    with pytest.raises(ValueError, match="log_likelihood: expected at least one draw"):
        moving_baseline(0.0, reward[:0])
