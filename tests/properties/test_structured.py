"""What holds of Lin's hops and their penalty for every input."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bottomup.attention import overlap_penalty, structured_embedding, structured_weights
from tests.drawn import seeded
from tests.properties.strategies import seeds, sizes

few = settings(max_examples=50)


def randn(*shape, generator):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def draw(n, hops, seed):
    generator = seeded(seed)
    return [randn(*shape, generator=generator) for shape in ((2, n, 3), (5, 3), (hops, 5))]


@few
@given(n=sizes, hops=sizes, seed=seeds, scale=st.floats(min_value=0, max_value=100))
def test_rows_are_shares_and_the_penalty_stays_within_its_bounds(n, hops, seed, scale):
    states, W_s1, W_s2 = draw(n, hops, seed)
    weights = structured_weights(states, W_s1, scale * W_s2)
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, hops, dtype=torch.float64))
    penalty = overlap_penalty(weights)
    assert (penalty >= 0).all() and (penalty <= hops**2).all()
    if hops > n:
        assert (penalty > 0).all()  # hops must share positions


@few
@given(n=sizes, hops=sizes, seed=seeds)
def test_the_order_of_the_positions_does_not_matter(n, hops, seed):
    states, W_s1, W_s2 = draw(n, hops, seed)
    order = torch.randperm(n, generator=seeded(seed))
    embedding, weights = structured_embedding(states, W_s1, W_s2)
    shuffled, its_weights = structured_embedding(states[:, order], W_s1, W_s2)
    torch.testing.assert_close(shuffled, embedding)
    torch.testing.assert_close(its_weights, weights[..., order])


@few
@given(n=sizes, hops=sizes, seed=seeds)
def test_the_order_of_the_hops_does_not_change_the_penalty(n, hops, seed):
    weights = structured_weights(*draw(n, hops, seed))
    order = torch.randperm(hops, generator=seeded(seed))
    torch.testing.assert_close(overlap_penalty(weights[:, order]), overlap_penalty(weights))


@few
@given(hops=sizes, more=st.integers(min_value=0, max_value=3), seed=seeds)
def test_hops_with_a_position_each_cost_nothing(hops, more, seed):
    positions = torch.randperm(hops + more, generator=seeded(seed))[:hops]
    assert overlap_penalty(torch.eye(hops + more)[positions]).item() == 0
