"""What holds for every window: where weights lie, what they sum to, what moves with them."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bottomup.attention import (
    DotAttention,
    LocalAttention,
    gaussian_around,
    local_m_weights,
    local_p_weights,
    location_scores,
    predicted_center,
    window_around,
)
from tests.drawn import seeded
from tests.properties.strategies import seeds, sizes

widths = st.integers(min_value=1, max_value=4)


def drawn(query, key, seed):
    """Scores, centres inside and outside the sentence, and a mask."""
    generator = seeded(seed)
    scores = torch.randn(query, key, generator=generator, dtype=torch.float64) * 3
    center = torch.rand(query, generator=generator, dtype=torch.float64) * (key + 6) - 3
    whole = torch.rand(query, generator=generator) < 0.3
    mask = torch.rand(query, key, generator=generator) < 0.7
    return scores, torch.where(whole, center.round(), center), mask


@settings(max_examples=60)
@given(query=sizes, key=sizes, half_width=widths, seed=seeds)
def test_local_m_weights_sum_to_one_over_windows_with_something_allowed(
    query, key, half_width, seed
):
    scores, center, mask = drawn(query, key, seed)
    allowed = window_around(center, key, half_width) & mask
    weights = local_m_weights(scores, center, half_width, mask)
    assert torch.allclose(weights.sum(-1), allowed.any(-1).double(), atol=1e-12)
    assert (weights[~allowed] == 0).all()
    assert (weights >= 0).all()


@settings(max_examples=60)
@given(query=sizes, key=sizes, half_width=widths, seed=seeds)
def test_local_p_weights_are_at_most_the_softmax_s_and_nothing_lies_outside(
    query, key, half_width, seed
):
    scores, center, mask = drawn(query, key, seed)
    softmax = local_m_weights(scores, center, half_width, mask)
    weights = local_p_weights(scores, center, half_width, mask)
    positions = torch.arange(key)
    outside = (positions - center[:, None]).abs() > half_width
    assert (weights <= softmax).all() and (weights >= 0).all()
    assert (weights[outside | ~mask] == 0).all()
    assert (weights.sum(-1) <= 1 + 1e-12).all()


@settings(max_examples=60)
@given(query=sizes, key=sizes, half_width=widths, seed=seeds)
def test_a_window_has_at_most_2d_plus_1_positions_and_they_touch(query, key, half_width, seed):
    _, center, _ = drawn(query, key, seed)
    window = window_around(center, key, half_width)
    assert (window.sum(-1) <= 2 * half_width + 1).all()
    borders = window.int().diff(dim=-1, prepend=torch.zeros(query, 1, dtype=torch.int32))
    assert ((borders == 1).sum(-1) <= 1).all()  # one run of True


@settings(max_examples=60)
@given(query=sizes, key=sizes, half_width=widths, seed=seeds)
def test_gaussian_is_largest_at_the_position_nearest_to_the_center(query, key, half_width, seed):
    _, center, _ = drawn(query, key, seed)
    gaussian = gaussian_around(center, key, half_width)
    distance = (torch.arange(key) - center[:, None]).abs()
    nearest = distance.gather(1, gaussian.argmax(-1, keepdim=True))[:, 0]
    assert torch.equal(nearest, distance.min(-1).values)
    assert ((gaussian > 0) & (gaussian <= 1)).all()


@settings(max_examples=60)
@given(length=sizes, half_width=widths, seed=seeds, scale=st.floats(min_value=0, max_value=1e3))
def test_a_predicted_center_always_has_a_window_in_the_sentence(length, half_width, seed, scale):
    generator = seeded(seed)
    query = torch.randn(3, 5, generator=generator)
    W_p, v_p = torch.randn(2, 5, generator=generator), scale * torch.randn(2, generator=generator)
    center = predicted_center(query, torch.tensor([length]), W_p, v_p)
    assert ((center >= 0) & (center <= length)).all()
    assert window_around(center, length, half_width).any(-1).all()


@settings(max_examples=60)
@given(query=sizes, key=sizes, half_width=widths, seed=seeds, first=sizes)
def test_monotonic_queries_from_any_start_are_rows_of_the_whole(
    query, key, half_width, seed, first
):
    generator = seeded(seed)
    queries = torch.randn(first + query, 3, generator=generator, dtype=torch.float64)
    keys = torch.randn(key, 3, generator=generator, dtype=torch.float64)
    attention = LocalAttention(DotAttention(), half_width=half_width)
    _, whole = attention(queries, keys, keys)
    _, part = attention(queries[first:], keys, keys, first_query=first)
    assert torch.allclose(part, whole[first:], atol=1e-12)


@settings(max_examples=40)
@given(query=sizes, key=sizes, more=sizes, seed=seeds)
def test_location_scores_of_a_shorter_sentence_are_the_first_ones(query, key, more, seed):
    generator = seeded(seed)
    queries = torch.randn(2, query, 3, generator=generator, dtype=torch.float64)
    W_a = torch.randn(key + more, 3, generator=generator, dtype=torch.float64)
    whole = location_scores(queries, key + more, W_a)
    assert torch.allclose(location_scores(queries, key, W_a), whole[..., :key], atol=1e-12)
