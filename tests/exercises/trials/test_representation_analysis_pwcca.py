"""The weights of PWCCA, of chapter 08: by hand, the library's distance, typical slips."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from bottomup.analysis import mean_cca_distance, pwcca_distance
from bottomup.exercises import catalog
from tests.drawn import randn
from tests.exercises.trials.verdicts import expected_of, is_plain, named, report_on, wrong_answers

PWCCA_WEIGHTS = catalog()["pwcca-weights"]
pwcca = PWCCA_WEIGHTS.solution
whiten = catalog()["whitening"].solution


BY_HAND = {  # the correlations are 1 and 0.6
    0: 0.4 * 1 / 4,
    1: 0.4 * 3 / 4,
    2: 0.4 * 1 / 5,
    3: 0.4 * 4 / 8,
    4: 0.4 * 1 / 4,
}


@pytest.mark.parametrize("case", BY_HAND)
def test_distances_by_hand(case: int):
    assert expected_of(PWCCA_WEIGHTS, case) == pytest.approx(BY_HAND[case])


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


# ---- Other right answers


def with_the_library(X, U_x, U_y):
    return pwcca_distance(X, U_y, few_samples="allow")


def with_the_other_order(X, U_x, U_y):
    _B, rho, Ah = torch.linalg.svd(U_y.T @ U_x, full_matrices=False)
    a = (Ah @ U_x.T @ X).abs().sum(-1)
    return float(1 - torch.dot(a, rho) / a.sum())


def with_a_mean_of_gaps(X, U_x, U_y):
    A, rho, _B = torch.svd(U_x.T @ U_y)
    h = U_x.matmul(A)
    a = torch.stack([sum((h[:, i] * x).sum().abs() for x in X.T) for i in range(len(rho))])
    weights = torch.nn.functional.normalize(a, p=1, dim=0)
    return ((1 - rho) * weights).sum()


def with_projections(X, U_x, U_y):
    """The variates of X from the projections of both spaces onto each other."""
    values, vectors = torch.linalg.eigh(U_x @ U_x.T @ U_y @ U_y.T @ U_x @ U_x.T)
    pairs = min(U_x.shape[1], U_y.shape[1])
    rho, h = values[-pairs:].sqrt(), vectors[:, -pairs:]
    a = (h.T @ X).abs().sum(1)
    return 1 - (a * rho).sum() / a.sum()


@pytest.mark.parametrize(
    "answer",
    [with_the_library, with_the_other_order, with_a_mean_of_gaps, with_projections],
)
def test_other_ways_to_the_distance_pass(answer: Callable[..., Any]):
    assert report_on(PWCCA_WEIGHTS, answer).passed


# ---- Slips


def weighed(
    *,
    variates: Callable[..., Tensor] = lambda X, U_x, U_y, A, B: U_x @ A,
    onto: Callable[..., Tensor] = lambda X, U_x, U_y: X,
    weight: Callable[[Tensor], Tensor] = lambda products: products.abs().sum(0),
    norm: Callable[[Tensor], Tensor] = lambda a: a / a.sum(),
    value: Callable[[Tensor, Tensor], Any] = lambda a, rho: 1 - torch.dot(a, rho),
) -> Callable[..., Any]:
    """An answer as a reader may write it, with one thing to change; products [feature, pair]."""

    def answer(X: Tensor, U_x: Tensor, U_y: Tensor) -> Any:
        A, rho, B = torch.svd(U_x.T @ U_y)
        h = variates(X, U_x, U_y, A, B)
        return value(norm(weight(onto(X, U_x, U_y).T @ h)), rho)

    return answer


def test_the_reader_s_distance_passes_unchanged():
    assert report_on(PWCCA_WEIGHTS, weighed()).passed


@pytest.mark.slow
@wrong_answers(
    {
        "other-branch": [
            weighed(variates=lambda X, U_x, U_y, A, B: U_y @ B),
            weighed(onto=lambda X, U_x, U_y: U_y),
        ],
        "whitened-for-features": weighed(onto=lambda X, U_x, U_y: U_x),
        "other-side-s-directions": weighed(variates=lambda X, U_x, U_y, A, B: U_x @ B),
        "turned-the-wrong-way": weighed(variates=lambda X, U_x, U_y, A, B: U_x @ A.T),
        "not-rotated": [
            weighed(variates=lambda X, U_x, U_y, A, B: U_x),
            weighed(variates=lambda X, U_x, U_y, A, B: U_x[:, : A.shape[1]]),
        ],
        "variates-without-whitening": weighed(variates=lambda X, U_x, U_y, A, B: X @ A),
        "features-made-unit": [
            weighed(onto=lambda X, U_x, U_y: torch.nn.functional.normalize(X, dim=0)),
            weighed(onto=lambda X, U_x, U_y: X / X.std(0)),
        ],
        "weights-not-normalised": [
            weighed(norm=lambda a: a),
            weighed(norm=lambda a: a / len(a)),
            weighed(norm=lambda a: a, value=lambda a, rho: 1 - (a * rho).mean()),
        ],
        "signs-cancel": [
            weighed(weight=lambda products: products.sum(0)),
            weighed(weight=lambda products: products.sum(0).abs()),
        ],
        "squares-summed": weighed(weight=lambda products: (products**2).sum(0)),
        "root-of-the-squares": weighed(weight=lambda products: products.norm(dim=0)),
        "summed-over-directions": weighed(weight=lambda products: products.abs().sum(1)),
        "one-minus-missing": weighed(value=torch.dot),
        "plain-mean": [
            weighed(value=lambda a, rho: 1 - rho.mean()),
            weighed(norm=lambda a: torch.ones_like(a) / len(a)),
        ],
        "weighted-by-correlations": weighed(value=lambda a, rho: 1 - rho @ rho / rho.sum()),
        "correlations-squared": weighed(value=lambda a, rho: 1 - torch.dot(a, rho**2)),
    }
)
def test_a_slip_of_the_distance_is_named(wrong, mistake: str):
    assert named(PWCCA_WEIGHTS, wrong) == mistake


def over_all_directions(X, U_x, U_y):
    A, rho, _Bh = torch.linalg.svd(U_x.T @ U_y)
    a = (X.T @ U_x @ A).abs().sum(0)
    padded = torch.zeros(len(a), dtype=a.dtype)
    padded[: len(rho)] = rho
    return 1 - a @ padded / a.sum()


def from_the_features_of_y(X, U_x, U_y):
    return pwcca(U_y, U_y, U_x)


def plain_mean(X, U_x, U_y):
    return mean_cca_distance(U_x, U_y, few_samples="allow")


@pytest.mark.slow
@wrong_answers(
    {
        "directions-without-a-partner": over_all_directions,
        "other-branch": from_the_features_of_y,
        "plain-mean": plain_mean,
        "whitened-for-features": lambda X, U_x, U_y: pwcca_distance(U_x, U_y, few_samples="allow"),
        "one-minus-missing": lambda *given: 1 - pwcca(*given),
    }
)
def test_a_slip_with_whole_functions_is_named(wrong, mistake: str):
    assert named(PWCCA_WEIGHTS, wrong) == mistake


@pytest.mark.slow
@pytest.mark.parametrize(
    "answer, sentence",
    [
        (weighed(norm=lambda a: a.softmax(0)), "The number differs by"),
        (weighed(value=lambda a, rho: a), "has shape (2,), expected ()"),
        (weighed(value=lambda a, rho: (a, rho)), "It returned a value of type tuple"),
        (lambda X, U_x, U_y: pwcca(X[:, :1], U_x, U_y), "The number differs by"),
    ],
)  # fmt: skip
def test_another_distance_gets_a_plain_report(answer: Callable[..., Any], sentence: str):
    assert is_plain(PWCCA_WEIGHTS, answer, sentence)
