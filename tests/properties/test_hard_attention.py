"""What holds of every draw: one allowed position, finite gradients, and the exact mean."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bottomup.attention import (
    NOWHERE,
    expected_log_likelihood,
    gumbel_straight_through,
    masked_softmax,
    one_hot_positions,
    position_log_probability,
    reinforce_loss,
    sample_positions,
)
from tests.drawn import seeded
from tests.properties.strategies import seeds, sizes


def drawn_inputs(query, key, seed, spread=1.0):
    generator = seeded(seed)
    scores = torch.randn(query, key, generator=generator, dtype=torch.float64) * spread
    mask = torch.rand(query, key, generator=generator) < 0.5
    return scores.requires_grad_(), mask, generator


@settings(max_examples=50)
@given(query=sizes, key=sizes, seed=seeds, spread=st.floats(min_value=1e-3, max_value=1e2))
def test_a_draw_lies_on_an_allowed_key_and_nowhere_where_none_is(query, key, seed, spread):
    scores, mask, generator = drawn_inputs(query, key, seed, spread)
    weights = masked_softmax(scores, mask)
    positions = sample_positions(weights, generator=generator)
    assert torch.equal(positions == NOWHERE, ~mask.any(-1))
    chosen = one_hot_positions(positions, key, dtype=torch.float64)
    assert (chosen[~mask] == 0).all()
    assert torch.equal(chosen.sum(-1), mask.any(-1).double())
    log_probability = position_log_probability(weights, positions)
    assert log_probability.isfinite().all() and (log_probability <= 0).all()
    log_probability.sum().backward()
    assert scores.grad.isfinite().all()


@settings(max_examples=50)
@given(
    query=sizes,
    key=sizes,
    seed=seeds,
    spread=st.floats(min_value=1e-3, max_value=1e2),
    temperature=st.floats(min_value=1e-6, max_value=1e6),
)
def test_straight_through_is_one_hot_with_the_gradient_of_a_softmax(
    query, key, seed, spread, temperature
):
    scores, mask, generator = drawn_inputs(query, key, seed, spread)
    weights = gumbel_straight_through(scores, mask, temperature=temperature, generator=generator)
    assert ((weights == 0) | (weights == 1)).all()
    assert (weights[~mask] == 0).all()
    assert torch.equal(weights.sum(-1), mask.any(-1).double())
    (weights * torch.randn(query, key, generator=generator, dtype=torch.float64)).sum().backward()
    assert scores.grad.isfinite().all()
    assert (scores.grad[~mask] == 0).all()
    # a softmax does not change with a constant: its gradient sums to zero in each row
    rounding = 1e-12 / temperature
    assert torch.allclose(scores.grad.sum(-1), torch.zeros(query).double(), atol=rounding)


@settings(max_examples=50)
@given(key=sizes, seed=seeds, baseline=st.floats(min_value=-50, max_value=50))
def test_reinforce_over_all_positions_is_the_exact_gradient_for_every_baseline(key, seed, baseline):
    scores, mask, generator = drawn_inputs(1, key, seed)
    mask[0, 0] = True
    reward = torch.randn(1, key, generator=generator, dtype=torch.float64).requires_grad_()
    inputs = (scores, reward)
    weights = masked_softmax(scores, mask)
    exact = torch.autograd.grad(-expected_log_likelihood(weights, reward).mean(), inputs)
    mean = [torch.zeros_like(one) for one in exact]
    for position in mask[0].nonzero().flatten().tolist():
        weights = masked_softmax(scores, mask)
        log_probability = position_log_probability(weights, torch.tensor([position]))
        loss = reinforce_loss(reward[:, position], log_probability, baseline)
        found = torch.autograd.grad(loss, inputs)
        probability = log_probability.exp().detach()
        mean = [total + probability * one for total, one in zip(mean, found, strict=True)]
    for one, other in zip(mean, exact, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-11, atol=1e-12)
