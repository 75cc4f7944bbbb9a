"""What holds for features in any number of dimensions: their shares, interference, matching."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from bottomup.analysis import feature_dimensions, interference, mean_max_cosine
from bottomup.models import superposition_loss
from tests.drawn import randn, seeded
from tests.properties.strategies import seeds, sizes

each = settings(max_examples=40)


def turn(seed: int, size: int) -> Tensor:
    """A random orthogonal matrix."""
    return torch.linalg.qr(randn(size, size, seed=seed)).Q


@each
@given(seeds, sizes, sizes)
def test_shares_lie_between_0_and_1_and_sum_to_at_most_the_dimensions(seed, m, n):
    shares = feature_dimensions(randn(m, n, seed=seed))
    assert shares.min() > 0
    assert shares.max() <= 1 + 1e-12
    assert shares.sum() <= min(m, n) + 1e-9


@each
@given(seeds, sizes, sizes, st.floats(min_value=0.01, max_value=100))
def test_turning_and_scaling_change_no_share(seed, m, n, scale):
    W = randn(m, n, seed=seed)
    turned = scale * turn(seed + 1, m) @ W
    torch.testing.assert_close(feature_dimensions(turned), feature_dimensions(W))
    torch.testing.assert_close(interference(turned), scale**2 * interference(W))


@each
@given(seeds, sizes, sizes)
def test_orthogonal_features_have_a_dimension_each_whatever_their_lengths(seed, m, extra):
    lengths = randn(m, seed=seed).abs() + 0.1
    W = turn(seed + 1, m + extra)[:, :m] * lengths
    torch.testing.assert_close(feature_dimensions(W), torch.ones(m, dtype=torch.float64))


@each
@given(seeds, sizes, sizes)
def test_a_double_halves_the_share_of_a_feature(seed, m, n):
    W = randn(m, n, seed=seed)
    doubled = torch.cat([W, -W], dim=1)
    torch.testing.assert_close(feature_dimensions(doubled)[:n], feature_dimensions(W) / 2)


@each
@given(seeds, sizes, sizes)
def test_a_set_of_directions_matches_itself_and_anything_else_less(seed, d, count):
    true, other = randn(count, d, seed=seed), randn(count, d, seed=seed + 1)
    order = torch.randperm(count, generator=seeded(seed))
    assert mean_max_cosine(true[order], true) == pytest.approx(1)
    assert -1 - 1e-9 <= mean_max_cosine(other, true) <= 1 + 1e-9
    found = mean_max_cosine(other, true)
    assert mean_max_cosine(torch.cat([other, randn(2, d, seed=seed + 2)]), true) >= found - 1e-12


@each
@given(seeds, sizes, sizes, st.floats(min_value=0.1, max_value=10))
def test_the_loss_is_linear_in_the_importance_and_never_negative(seed, samples, n, scale):
    x, x_hat = randn(samples, n, seed=seed), randn(samples, n, seed=seed + 1)
    importance = randn(n, seed=seed + 2).abs() + 0.1
    loss = superposition_loss(x, x_hat, importance)
    assert loss >= 0
    torch.testing.assert_close(superposition_loss(x, x_hat, scale * importance), scale * loss)
    assert superposition_loss(x, x, importance) == 0
