import math

import numpy as np
import pytest
import scipy.linalg
import torch

from bottomup.analysis import cca, mean_cca_distance, pwcca_distance, shuffled_pwcca, svcca_distance
from tests.analysis.representations import E1, E2, E3, E4, E, columns, draw, related, turn

DISTANCES = (mean_cca_distance, svcca_distance, pwcca_distance)
SHUFFLE = torch.Generator().manual_seed(7)


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


def test_the_mean_distance_counts_every_direction_alike():
    X, Y = columns(2 * E1, 300 * E2), columns(E1, 0.6 * E2 + 0.8 * E3)
    assert allowed(mean_cca_distance, X, Y) == pytest.approx(0.2)
    assert allowed(mean_cca_distance, Y, X) == pytest.approx(0.2)


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


def test_rounding_leads_to_no_distance_below_0(generator):
    for size in range(2, 40):
        X = draw(generator, 10 * size, size)
        for distance in DISTANCES:
            assert allowed(distance, X, X @ turn(generator, size)) >= 0


def test_an_invertible_map_of_y_leaves_correlations_and_pwcca(generator):
    X, Y = related(generator, 701, 7, 5)
    M = draw(generator, 5, 5) + 2 * torch.eye(5)
    mapped = Y @ M - 13
    torch.testing.assert_close(cca(X, mapped).correlations, cca(X, Y).correlations)
    for distance in (mean_cca_distance, pwcca_distance):
        assert distance(X, mapped) == pytest.approx(distance(X, Y), abs=1e-9)


def test_a_rotation_of_x_leaves_the_correlations_but_not_pwcca(generator):
    X, Y = related(generator, 701, 7, 5)
    rotated = X @ turn(generator, 7)
    torch.testing.assert_close(cca(rotated, Y).correlations, cca(X, Y).correlations)
    assert mean_cca_distance(rotated, Y) == pytest.approx(mean_cca_distance(X, Y), abs=1e-9)
    assert svcca_distance(rotated, Y) == pytest.approx(svcca_distance(X, Y), abs=1e-9)
    assert abs(pwcca_distance(rotated, Y) - pwcca_distance(X, Y)) > 1e-3


def test_a_rotation_of_x_by_hand():
    X, Y = columns(2 * E1, E1 + 3 * E2), columns(E1, 0.6 * E2 + 0.8 * E3)
    rotation = torch.tensor([[2, -1], [1, 2]], dtype=torch.float64) / math.sqrt(5)
    # <h_1, x_j> = (2, 1) turns into (5, 0) / sqrt 5, and <h_2, x_j> = (0, 3) into (3, 6) / sqrt 5
    assert allowed(pwcca_distance, X, Y) == pytest.approx(0.4 * 3 / 6)
    assert allowed(pwcca_distance, X @ rotation, Y) == pytest.approx(0.4 * 9 / 14)
    # seen from Y nothing happens, so that the average keeps half of the change
    assert allowed(pwcca_distance, Y, X @ rotation) == pytest.approx(0.4 / 2)
    both = allowed(pwcca_distance, Y, X @ rotation, symmetric=True)
    assert both == pytest.approx(0.4 * (9 / 14 + 1 / 2) / 2)


@pytest.mark.parametrize("distance", DISTANCES)
def test_a_shift_and_a_common_factor_of_x_leave_every_distance(generator, distance):
    X, Y = related(generator, 701, 7, 5)
    wanted = distance(X, Y)
    assert 0.01 < wanted < 0.99
    shift = torch.arange(7) * 17.0
    assert distance(X + shift, Y - 19) == pytest.approx(wanted, abs=1e-9)
    assert distance(1e-3 * X, 1e3 * Y) == pytest.approx(wanted, abs=1e-9)


def test_a_factor_for_each_feature_of_x_moves_the_weights():
    Y = columns(E1, 0.6 * E2 + 0.8 * E3)
    near = [allowed(pwcca_distance, columns(E1, r * E2), Y) for r in (1 / 9, 1, 9)]
    assert near == pytest.approx([0.04, 0.2, 0.36])


def test_svcca_depends_on_the_scale_of_a_feature(generator):
    X, Y = related(generator, 701, 3, 3)
    squeezed = Y * torch.tensor([1.0, 1.0, 1e-3])
    assert mean_cca_distance(X, squeezed) == pytest.approx(mean_cca_distance(X, Y), abs=1e-9)
    assert abs(svcca_distance(X, squeezed) - svcca_distance(X, Y)) > 0.01


def test_pwcca_is_asymmetric_and_its_average_is_not(generator):
    X, Y = related(generator, 701, 7, 5)
    one, other = pwcca_distance(X, Y), pwcca_distance(Y, X)
    assert abs(one - other) > 0.01
    for pair in ((X, Y), (Y, X)):
        found = pwcca_distance(*pair, symmetric=True)
        assert found == pytest.approx((one + other) / 2, abs=1e-9)


def test_a_part_of_x_has_distance_0_from_x(generator):
    X = draw(generator, 701, 7)
    assert pwcca_distance(X, X[:, :3]) == pytest.approx(0, abs=1e-9)
    assert pwcca_distance(X[:, :3], X) == pytest.approx(0, abs=1e-9)


def test_equal_correlations_leave_the_weights_open(generator):
    # 8 samples, 9 features together: two correlations of 1, whose directions may be turned
    X, Y = draw(generator, 8, 5), draw(generator, 8, 4)
    assert (cca(X, Y, few_samples="allow").correlations > 1 - 1e-9).tolist() == [1, 1, 0, 0]
    mapped = Y @ draw(generator, 4, 4)
    assert allowed(mean_cca_distance, X, mapped) == pytest.approx(allowed(mean_cca_distance, X, Y))
    assert abs(allowed(pwcca_distance, X, mapped) - allowed(pwcca_distance, X, Y)) > 1e-6


# random data


@pytest.mark.parametrize(("samples", "wanted"), [(65, 0), (128, 0.36), (640, 0.73), (6400, 0.92)])
def test_unrelated_data_seem_related_where_samples_are_few(generator, samples, wanted):
    X, Y = draw(generator, samples, 64), draw(generator, samples, 64)
    assert allowed(pwcca_distance, X, Y) == pytest.approx(wanted, abs=0.01)
    assert allowed(pwcca_distance, X, Y, symmetric=True) == pytest.approx(wanted, abs=0.01)
    assert allowed(mean_cca_distance, X, Y) == pytest.approx(wanted, abs=0.01)


@pytest.mark.parametrize("symmetric", [False, True])
def test_independent_data_lie_within_their_shuffled_null(generator, symmetric):
    X, Y = draw(generator, 1100, 11), draw(generator, 1100, 7)
    found = pwcca_distance(X, Y, symmetric=symmetric)
    null = shuffled_pwcca(X, Y, generator=generator, draws=40, symmetric=symmetric)
    assert null.shape == (40,)
    assert abs(found - null.mean()) < 4 * null.std()
    assert 0 < null.std() < 0.02
    drawn = [pwcca_distance(X, draw(generator, 1100, 7)) for _trial in range(40)]
    assert null.mean().item() == pytest.approx(sum(drawn) / 40, abs=0.005)


def test_related_data_lie_below_their_shuffled_null(generator):
    X, Y = related(generator, 1103, 11, 7)
    null = shuffled_pwcca(X, Y, generator=generator)
    assert pwcca_distance(X, Y) < null.min() - 0.2
    assert null.min() > 0.85


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


def test_weights_follow_the_shared_signal_where_it_is_large(generator):
    samples, shared = 1300, draw(generator, 1300, 1)
    rest = [draw(generator, samples, 12) for _side in range(2)]
    found = {}
    for scale in (0.1, 10):
        X, Y = (torch.cat([scale * shared, side], dim=1) for side in rest)
        found[scale] = pwcca_distance(X, Y), mean_cca_distance(X, Y)
    assert found[0.1][1] == pytest.approx(found[10][1], abs=1e-9)
    assert found[10][0] < found[10][1] < found[0.1][0]


# kinds of numbers, devices


@pytest.mark.parametrize("distance", DISTANCES)
def test_float32_gives_nearly_what_float64_gives(generator, distance):
    X, Y = related(generator, 1103, 11, 7)
    wanted = distance(X, Y)
    assert distance(X.float(), Y.float()) == pytest.approx(wanted, abs=1e-6)
    assert distance(X.float(), Y) == pytest.approx(wanted, abs=1e-6)
    assert distance(X.bfloat16(), Y.half()) == pytest.approx(wanted, abs=0.01)
    assert cca(X.float(), Y.float()).correlations.dtype == torch.float64


def test_every_device_gives_the_same(generator, device):
    X, Y = related(generator, 1103, 11, 7)
    there = X.to(device), Y.to(device)
    assert cca(*there).variates_x.device.type == device.type
    for distance in DISTANCES:
        assert distance(*there) == pytest.approx(distance(X, Y), abs=1e-9)
    found = shuffled_pwcca(*there, generator=torch.Generator().manual_seed(3))
    wanted = shuffled_pwcca(X, Y, generator=torch.Generator().manual_seed(3))
    torch.testing.assert_close(found, wanted)


def test_it_takes_no_gradient_and_changes_nothing(generator):
    X, Y = related(generator, 701, 7, 5)
    before = X.clone()
    X.requires_grad_()
    assert not cca(X, Y).correlations.requires_grad
    assert pwcca_distance(X, Y) == pwcca_distance(before, Y)
    assert torch.equal(X, before)


# refusals


@pytest.mark.parametrize(
    ("function", "options", "error", "text"),
    [
        (cca, {"tolerance": 0}, ValueError, "tolerance: expected a number > 0 and < 1, got 0"),
        (pwcca_distance, {"tolerance": 1}, ValueError, "tolerance"),
        (mean_cca_distance, {"tolerance": "1e-5"}, TypeError, "tolerance"),
        (cca, {"few_samples": "warn"}, ValueError, "few_samples: expected one of 'refuse', 'allo"),
        (svcca_distance, {"variance": 0}, ValueError, "variance: expected a number > 0 and <= 1"),
        (svcca_distance, {"variance": 1.01}, ValueError, "variance"),
        (svcca_distance, {"variance": True}, TypeError, "variance"),
        (pwcca_distance, {"symmetric": "yes"}, ValueError, "symmetric: expected one of False, T"),
        (shuffled_pwcca, {"generator": SHUFFLE, "symmetric": 2}, ValueError, "symmetric"),
        (shuffled_pwcca, {"generator": SHUFFLE, "draws": 0}, ValueError, "draws"),
        (shuffled_pwcca, {"generator": SHUFFLE, "draws": 1.5}, TypeError, "draws"),
        (shuffled_pwcca, {"generator": 7}, TypeError, "generator: expected a torch.Generator, got"),
    ],
)
def test_bad_options_are_refused(function, options, error, text):
    with pytest.raises(error, match=text):
        function(E, E, **{"few_samples": "allow"} | options)
