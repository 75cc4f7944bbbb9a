"""The weights of PWCCA, of chapter 08: the library's distance, what it depends on."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bottomup.analysis import pwcca_distance
from bottomup.exercises import catalog
from tests.drawn import randn
from tests.exercises.trials.verdicts import expected_of

PWCCA_WEIGHTS = catalog()["pwcca-weights"]
pwcca = PWCCA_WEIGHTS.solution
whiten = catalog()["whitening"].solution


@pytest.mark.slow
@settings(max_examples=50)
@given(st.integers(1, 7), st.integers(1, 5), st.integers(0, 10**6))
def test_it_is_the_library_s_distance(d_x: int, d_y: int, seed: int):
    X = randn(41, d_x, seed=seed) * torch.arange(1, d_x + 1) + 3
    Y = X @ randn(d_x, d_y, seed=seed + 1) + 4 * randn(41, d_y, seed=seed + 2)
    found = pwcca(X - X.mean(0), whiten(X), whiten(Y))
    assert found == pytest.approx(pwcca_distance(X, Y, few_samples="allow"), abs=1e-9)
    # the mean of X stands at right angles to every variate
    assert pwcca(X, whiten(X), whiten(Y)) == pytest.approx(found, abs=1e-9)


@pytest.mark.parametrize("case", range(len(PWCCA_WEIGHTS.cases)))
def test_no_two_correlations_of_a_case_are_equal(case: int):
    # where two are, their directions may be turned and the weights are not unique
    inputs = PWCCA_WEIGHTS.cases[case].inputs
    rho = torch.linalg.svdvals(inputs["U_x"].T @ inputs["U_y"])
    assert (rho.diff() < -0.01).all()
    assert rho[-1] > 0.01


def test_another_basis_of_the_same_space_changes_nothing_but_a_turn_of_the_features_does():
    inputs = PWCCA_WEIGHTS.cases[5].inputs
    X, U_x, U_y = inputs.values()
    turn = torch.linalg.qr(randn(5, 5, seed=1)).Q
    assert pwcca(X, U_x @ turn, U_y) == pytest.approx(expected_of(PWCCA_WEIGHTS, 5))
    assert pwcca(X, U_x, U_y @ turn) == pytest.approx(expected_of(PWCCA_WEIGHTS, 5))
    assert abs(pwcca(X @ turn, U_x, U_y) - expected_of(PWCCA_WEIGHTS, 5)) > 0.01
