"""What holds for the parts of a decoder of today at any size."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bottomup.attention import (
    alibi_bias,
    grouped_attention,
    scaled_dot_product_attention,
    sliding_window_mask,
)
from bottomup.blocks import layer_norm, rms_norm, rotary_waves, rotate_halves
from tests.drawn import randn
from tests.properties.strategies import seeds, sizes

each = settings(max_examples=60)


def same(one: torch.Tensor, other: torch.Tensor) -> None:
    torch.testing.assert_close(one, other, rtol=0, atol=1e-10)


@each
@given(
    n=sizes,
    pairs=sizes,
    first=st.integers(0, 10_000),
    base=st.floats(1.5, 1e6),
    seed=seeds,
)
def test_scores_know_the_distance_alone_and_lengths_stay(n, pairs, first, base, seed):
    query, key = randn(2, n, 2 * pairs, seed=seed)
    found = []
    for start in (0, first):
        waves = rotary_waves(n, 2 * pairs, base=base, first=start, dtype=torch.float64)
        turned, keys = rotate_halves(query, *waves), rotate_halves(key, *waves)
        same(turned.norm(dim=-1), query.norm(dim=-1))
        found.append(turned @ keys.T)
    torch.testing.assert_close(found[1], found[0], rtol=0, atol=1e-8)


@each
@given(n=sizes, width=sizes, factor=st.floats(0.1, 100), seed=seeds)
def test_the_norm_feels_no_factor_and_is_layer_norm_of_a_centred_vector(n, width, factor, seed):
    x, gain = randn(n, width, seed=seed), randn(width, seed=seed + 1)
    tiny = 1e-30
    same(rms_norm(factor * x, gain, epsilon=tiny), rms_norm(x, gain, epsilon=tiny))
    centred = x - x.mean(dim=-1, keepdim=True)
    same(rms_norm(centred, gain), layer_norm(x, gain, 0 * gain))


@each
@given(groups=sizes, heads=sizes, n=sizes, keys=sizes, width=sizes, seed=seeds)
def test_groups_are_copies(groups, heads, n, keys, width, seed):
    query = randn(groups * heads, n, width, seed=seed)
    key, value = randn(2, groups, keys, width, seed=seed + 1)
    mask = torch.ones(n, keys, dtype=torch.bool).tril(seed % 3 - 1)
    read, weights = grouped_attention(query, key, value, mask)
    copies = (x.repeat_interleave(heads, dim=0) for x in (key, value))
    expected, expected_weights = scaled_dot_product_attention(query, *copies, mask)
    same(read, expected)
    same(weights, expected_weights)


@each
@given(n=sizes, width=sizes, sinks=st.integers(0, 5), first=st.integers(0, 6))
def test_a_window_counts_its_positions(n, width, sinks, first):
    mask = sliding_window_mask(n, width, sinks=sinks, first=min(first, n - 1))
    for i, row in zip(range(min(first, n - 1), n), mask, strict=True):
        near = set(range(max(0, i - width + 1), i + 1))
        assert set(row.nonzero().flatten().tolist()) == near | set(range(min(sinks, i + 1)))


@each
@given(heads=sizes, n=sizes)
def test_biases_are_zero_at_home_and_fall_evenly(heads, n):
    bias = alibi_bias(heads, n)
    assert not bias.diagonal(dim1=1, dim2=2).any()
    steps = bias.diff(dim=2)
    same(steps, steps[:, :1, :1].expand_as(steps) if n > 1 else steps)
