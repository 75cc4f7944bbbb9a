import numpy as np
import pytest
import scipy.linalg
import torch

from bottomup.analysis import cca, mean_cca_distance, pwcca_distance, shuffled_pwcca, svcca_distance
from tests.analysis.representations import E1, E2, E3, E4, columns, draw, related, turn

DISTANCES = (mean_cca_distance, svcca_distance, pwcca_distance)


def allowed(distance, X, Y, **options) -> float:
    return distance(X, Y, few_samples="allow", **options)


# by hand


@pytest.mark.parametrize(
    ("X", "Y", "wanted", "backwards"),
    [
        # a = 2/5, 3/5: 1 - (2 + 3 * .6) / 5; seen from Y both weigh 1/2
        (columns(2 * E1, 3 * E2), columns(E1, 0.6 * E2 + 0.8 * E3), 0.24, 0.2),
        # the same two directions: <h_1, x_j> = 2, 1 and <h_2, x_j> = 0, 3
        (columns(2 * E1, E1 + 3 * E2), columns(E1, 0.6 * E2 + 0.8 * E3), 0.2, 0.2),
        # one feature against two, of which the first holds .6 of it
        (columns(5 * E1), columns(0.6 * E1 + 0.8 * E3, E4), 0.4, 0.4),
        (columns(E1, E2), columns(E3, E4), 1, 1),
    ],
)
def test_pwcca_by_hand(X, Y, wanted, backwards):
    assert allowed(pwcca_distance, X, Y) == pytest.approx(wanted)
    assert allowed(pwcca_distance, Y, X) == pytest.approx(backwards)
    both = (wanted + backwards) / 2
    assert allowed(pwcca_distance, X, Y, symmetric=True) == pytest.approx(both)
    assert allowed(pwcca_distance, Y, X, symmetric=True) == pytest.approx(both)


def test_svcca_keeps_the_directions_that_hold_the_variance():
    X, Y = columns(10 * E1, E2), columns(10 * (0.6 * E1 + 0.8 * E3), E2)
    # the first direction holds 100 / 101 = .9901
    assert allowed(svcca_distance, X, Y) == pytest.approx(0.4)
    assert allowed(svcca_distance, X, Y, variance=0.3) == pytest.approx(0.4)
    assert allowed(svcca_distance, X, Y, variance=0.991) == pytest.approx(0.2)
    assert allowed(svcca_distance, X, Y, variance=1) == pytest.approx(0.2)
    # one direction of X against two of Y: all of it lies in Y's span
    assert allowed(svcca_distance, columns(10 * E1, E2), columns(E1, E2)) == pytest.approx(0)
    assert allowed(svcca_distance, columns(10 * E1, E2), columns(E3, E2)) == pytest.approx(1)


# against another way


def whitened(X: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Correlations, mean distance and PWCCA by Cholesky factors of the covariances."""
    X, Y, n = X - X.mean(0), Y - Y.mean(0), len(X)
    L_x = scipy.linalg.cholesky(X.T @ X / n, lower=True)
    L_y = scipy.linalg.cholesky(Y.T @ Y / n, lower=True)
    half = scipy.linalg.solve_triangular(L_x, X.T @ Y / n, lower=True)
    K = scipy.linalg.solve_triangular(L_y, half.T, lower=True).T
    A, rho, _ = scipy.linalg.svd(K, full_matrices=False)
    H = X @ scipy.linalg.solve_triangular(L_x.T, A, lower=False)
    a = np.array([sum(abs(h @ x) for x in X.T) for h in H.T])
    return rho, float(1 - rho.mean()), float(1 - (a * rho).sum() / a.sum())


@pytest.mark.parametrize(("d_x", "d_y"), [(5, 5), (7, 3), (3, 11), (1, 1)])
def test_whitening_by_cholesky_gives_the_same(generator, d_x, d_y):
    X, Y = related(generator, 1109, d_x, d_y)
    rho, mean, weighted = whitened(X.numpy(), Y.numpy())
    np.testing.assert_allclose(cca(X, Y).correlations, rho, atol=1e-12)
    assert mean_cca_distance(X, Y) == pytest.approx(mean, abs=1e-12)
    assert svcca_distance(X, Y, variance=1) == pytest.approx(mean, abs=1e-12)
    assert pwcca_distance(X, Y) == pytest.approx(weighted, abs=1e-12)
    assert 0.01 < weighted < 0.99  # the case says something


# invariances, and where they end


@pytest.mark.parametrize("distance", DISTANCES)
def test_identical_representations_have_distance_0(generator, distance):
    X = draw(generator, 701, 7)
    assert distance(X, X) == pytest.approx(0, abs=1e-12)
    assert distance(X, 3 * X + 11) == pytest.approx(0, abs=1e-12)
    assert distance(X, -X) == pytest.approx(0, abs=1e-12)
    assert distance(X, X @ turn(generator, 7)) == pytest.approx(0, abs=1e-12)


# random data


def test_a_shuffle_is_the_distance_for_permuted_rows(generator):
    X, Y = related(generator, 701, 7, 5)
    copy = torch.Generator().manual_seed(31)
    orders = [torch.randperm(701, generator=copy) for _draw in range(2)]
    for symmetric in (False, True):
        seeded = torch.Generator().manual_seed(31)
        found = shuffled_pwcca(X, Y, generator=seeded, draws=2, symmetric=symmetric)
        wanted = [pwcca_distance(X, Y[order], symmetric=symmetric) for order in orders]
        assert found.tolist() == pytest.approx(wanted, abs=1e-9)
        assert found[0] != found[1]
