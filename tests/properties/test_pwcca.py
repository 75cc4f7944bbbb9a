"""What holds for distances between representations of any width: range, order, symmetry, maps."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from bottomup.analysis import (
    cca,
    mean_cca_distance,
    pwcca_distance,
    shuffled_pwcca,
    svcca_distance,
)
from tests.drawn import seeded
from tests.properties.strategies import seeds

widths = st.integers(min_value=1, max_value=7)
# more than the features of both sides: with fewer, several correlations are exactly 1
samples = st.integers(min_value=17, max_value=101)
mixes = st.floats(min_value=0, max_value=10)
each = settings(max_examples=40)
DISTANCES = (mean_cca_distance, svcca_distance, pwcca_distance)


def pair(seed: int, count: int, d_x: int, d_y: int, mix: float) -> tuple[Tensor, Tensor]:
    """Two sides, the second of them holding `mix` parts of the first."""
    generator = seeded(seed)
    X, M, noise = (
        torch.randn(shape, generator=generator, dtype=torch.float64)
        for shape in ((count, d_x), (d_x, d_y), (count, d_y))
    )
    return X, mix * X @ M + noise


@each
@given(seeds, samples, widths, widths, mixes)
def test_every_distance_lies_between_0_and_1(seed, count, d_x, d_y, mix):
    X, Y = pair(seed, count, d_x, d_y, mix)
    for distance in DISTANCES:
        assert 0 <= distance(X, Y, few_samples="allow") <= 1
    assert 0 <= pwcca_distance(X, Y, symmetric=True, few_samples="allow") <= 1
    null = shuffled_pwcca(X, Y, generator=seeded(seed), draws=2, few_samples="allow")
    assert ((null >= 0) & (null <= 1)).all()
    rho = cca(X, Y, few_samples="allow").correlations
    assert ((rho >= 0) & (rho <= 1)).all()
    assert (rho.diff() <= 0).all()
    assert len(rho) == min(d_x, d_y)


@each
@given(seeds, samples, widths, widths, mixes)
def test_another_order_of_the_samples_changes_nothing(seed, count, d_x, d_y, mix):
    X, Y = pair(seed, count, d_x, d_y, mix)
    order = torch.randperm(count, generator=seeded(seed))
    for distance in DISTANCES:
        found = distance(X[order], Y[order], few_samples="allow")
        assert found == pytest.approx(distance(X, Y, few_samples="allow"), abs=1e-6)


@each
@given(seeds, samples, widths, widths, mixes)
def test_averages_and_means_are_symmetric(seed, count, d_x, d_y, mix):
    X, Y = pair(seed, count, d_x, d_y, mix)
    for distance in (mean_cca_distance, svcca_distance):
        found = distance(X, Y, few_samples="allow")
        assert found == pytest.approx(distance(Y, X, few_samples="allow"), abs=1e-6)
    one, other = (pwcca_distance(*sides, few_samples="allow") for sides in ((X, Y), (Y, X)))
    both = pwcca_distance(X, Y, symmetric=True, few_samples="allow")
    assert both == pytest.approx((one + other) / 2, abs=1e-6)


@each
@given(seeds, samples, widths, widths, mixes)
def test_turning_and_stretching_y_leaves_the_distance(seed, count, d_x, d_y, mix):
    X, Y = pair(seed, count, d_x, d_y, mix)
    square = torch.randn(d_y, d_y, generator=seeded(seed + 1), dtype=torch.float64)
    stretched = Y * torch.linspace(1, 3, d_y, dtype=torch.float64)
    mapped = stretched @ torch.linalg.qr(square).Q + 5
    for distance in (mean_cca_distance, pwcca_distance):
        found = distance(X, mapped, few_samples="allow")
        assert found == pytest.approx(distance(X, Y, few_samples="allow"), abs=1e-6)
