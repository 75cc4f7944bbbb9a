"""Hard attention: values by hand on three source words, draws, gradients, masks, bad input."""

import math

import pytest
import torch

from bottomup.attention import (
    NOWHERE,
    GeneralAttention,
    HardAttention,
    expected_log_likelihood,
    gumbel_straight_through,
    masked_softmax,
    one_hot_positions,
    position_log_probability,
    sample_positions,
)
from tests.drawn import global_seed, randn

BATCH, QUERY, KEY, D_QUERY, D_KEY = 2, 3, 5, 7, 11
WEIGHTS = torch.tensor([[0.2, 0.3, 0.5]], dtype=torch.float64)
LOG_LIKELIHOOD = torch.tensor([[-1.0, -2.0, -4.0]], dtype=torch.float64)


def on(device, seed=5):
    return torch.Generator(device=device).manual_seed(seed)


def test_the_objective_by_hand():
    # .2 · (-1) + .3 · (-2) + .5 · (-4)
    found = expected_log_likelihood(WEIGHTS, LOG_LIKELIHOOD)
    torch.testing.assert_close(found, torch.tensor([-2.8], dtype=torch.float64))


def test_the_exact_gradient_by_hand():
    # By the score: p_j (r_j - L) = .2 · 1.8, .3 · .8, .5 · (-1.2). By r_j: p_j.
    scores = WEIGHTS.log().requires_grad_()
    reward = LOG_LIKELIHOOD.clone().requires_grad_()
    expected_log_likelihood(masked_softmax(scores), reward).sum().backward()
    by_hand = torch.tensor([[0.36, 0.24, -0.6]], dtype=torch.float64)
    torch.testing.assert_close(scores.grad, by_hand)
    torch.testing.assert_close(reward.grad, WEIGHTS)


def test_draws_follow_the_weights(device):
    count = 20_000
    rows = torch.tensor([[0.2, 0.3, 0.5]], device=device).expand(count, 3)
    drawn = sample_positions(rows, generator=on(device))
    assert drawn.shape == (count,) and drawn.dtype == torch.int64
    share = torch.bincount(drawn, minlength=3).double().cpu() / count
    error = (WEIGHTS[0] * (1 - WEIGHTS[0]) / count).sqrt()
    assert ((share - WEIGHTS[0]).abs() < 5 * error).all()


def test_positions_as_weights():
    found = one_hot_positions(torch.tensor([[2, NOWHERE], [0, 1]]), 3)
    assert found.tolist() == [[[0, 0, 1], [0, 0, 0]], [[1, 0, 0], [0, 1, 0]]]
    assert found.dtype == torch.float32
    assert one_hot_positions(torch.tensor([0]), 1, dtype=torch.float64).dtype == torch.float64


def test_the_log_probability_of_positions_by_hand():
    weights = torch.tensor([[0.25, 0.75, 0.0], [0.0, 0.0, 0.0]], requires_grad=True)
    found = position_log_probability(weights, torch.tensor([1, NOWHERE]))
    torch.testing.assert_close(found, torch.tensor([math.log(0.75), 0.0]))
    found.sum().backward()
    torch.testing.assert_close(weights.grad, torch.tensor([[0, 4 / 3, 0], [0, 0, 0]]))


# ---- Gumbel straight-through


def test_straight_through_by_hand():
    # softmax of (0, ln 3) / 2 is (1, √3) / (1 + √3); its Jacobian times (1, 5), over 2
    scores = torch.tensor([[0.0, math.log(3)]], dtype=torch.float64, requires_grad=True)
    weights = gumbel_straight_through(scores, temperature=2.0, generator=None, noise=False)
    assert weights.tolist() == [[0.0, 1.0]]
    (weights @ torch.tensor([1.0, 5.0], dtype=torch.float64)).sum().backward()
    one, other = 1 / (1 + math.sqrt(3)), math.sqrt(3) / (1 + math.sqrt(3))
    slope = one * other * (5 - 1) / 2
    by_hand = torch.tensor([[-slope, slope]], dtype=torch.float64)
    torch.testing.assert_close(scores.grad, by_hand)


def test_without_noise_the_strongest_key_is_read():
    scores = randn(BATCH, QUERY, KEY)
    found = gumbel_straight_through(scores, temperature=1.0, generator=None, noise=False)
    assert torch.equal(found.argmax(-1), scores.argmax(-1))


# ---- The module


def make_module(temperature=1.0):
    with global_seed(2):
        return HardAttention(GeneralAttention(D_QUERY, D_KEY), temperature=temperature).double()


def test_in_evaluation_the_strongest_position_is_read(device):
    module = make_module().to(device).eval()
    query, key = randn(BATCH, QUERY, D_QUERY).to(device), randn(BATCH, KEY, D_KEY).to(device)
    output, weights = module(query, key, key)
    position = module.score(query, key).argmax(-1)
    assert torch.equal(weights.argmax(-1), position)
    assert torch.equal(weights.sum(-1), torch.ones_like(weights[..., 0]))
    assert torch.equal(output[1, 2], key[1, position[1, 2]])
    again, _ = module(query, key, key)
    assert torch.equal(output, again)


def test_in_training_a_position_is_drawn_and_the_score_learns():
    module = make_module().train()
    query, key = randn(BATCH, QUERY, D_QUERY), randn(BATCH, KEY, D_KEY)
    with global_seed(3):
        output, weights = module(query, key, key)
        others = [module(query, key, key)[1] for _ in range(20)]
    assert ((weights == 0) | (weights == 1)).all() and (weights.sum(-1) == 1).all()
    assert any(not torch.equal(weights, other) for other in others)
    output.square().sum().backward()
    assert module.scored.W_a.grad.abs().sum() > 0


def test_the_distribution_is_the_soft_attention():
    module = make_module()
    query, key = randn(BATCH, QUERY, D_QUERY), randn(BATCH, KEY, D_KEY)
    mask = torch.tensor([[[True] * 3 + [False] * 2], [[False] * KEY]])
    _, soft = module.scored(query, key, key, mask)
    assert torch.equal(module.distribution(query, key, mask), soft)
    output, weights = module(query, key, key, mask)
    assert (output[1] == 0).all() and (weights[1] == 0).all()
    assert (weights[0, :, 3:] == 0).all()


# ---- Bad input


def test_bad_shapes_and_kinds_are_named():
    with pytest.raises(ValueError, match="weights: expected finite numbers of at least 0"):
        sample_positions(-WEIGHTS, generator=None)
    with pytest.raises(ValueError, match=r"positions: expected numbers in \[-1, 3\), got 3"):
        one_hot_positions(torch.tensor([0, 3]), 3)
    with pytest.raises(ValueError, match=r"positions: expected numbers in \[-1, 3\), got -2"):
        position_log_probability(WEIGHTS, torch.tensor([-2]))
    with pytest.raises(ValueError, match="mask: expected a shape that broadcasts"):
        gumbel_straight_through(
            WEIGHTS, torch.ones(2, dtype=torch.bool), temperature=1.0, generator=None
        )
    with pytest.raises(TypeError, match="scored: expected a ScoredAttention, got Linear"):
        HardAttention(torch.nn.Linear(2, 3))


def test_a_generator_of_another_device_is_named():
    weights = torch.ones(1, 2, device="meta")
    with pytest.raises(ValueError, match="generator: expected the device meta of scores, got cpu"):
        gumbel_straight_through(weights, temperature=1.0, generator=on("cpu"))
    with pytest.raises(TypeError, match="generator: expected a torch.Generator, got int"):
        sample_positions(torch.ones(1, 2), generator=5)
