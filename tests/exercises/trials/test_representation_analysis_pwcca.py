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
from bottomup.exercises.engine.checking import examine
from bottomup.exercises.representation_analysis.pwcca_weights import pwcca
from bottomup.exercises.representation_analysis.whitening import whiten

PWCCA_WEIGHTS = catalog()["pwcca-weights"]


def expected_of(case: int) -> float:
    return PWCCA_WEIGHTS.run(pwcca, PWCCA_WEIGHTS.cases[case].fresh())


def named(answer: Callable[..., Any]) -> str | None:
    report = examine(PWCCA_WEIGHTS, answer)
    assert not report.passed
    return report.misconception


def is_plain(answer: Callable[..., Any], sentence: str) -> bool:
    """Whether the report names no mistake, says the sentence and counts the cases."""
    report = examine(PWCCA_WEIGHTS, answer)
    said = sentence in repr(report) and "cases agree with the solution" in report.message
    return report.status == "failed" and report.misconception is None and said


def draw(seed: int, *shape: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64)


BY_HAND = {  # the correlations are 1 and 0.6
    0: 0.4 * 1 / 4,
    1: 0.4 * 3 / 4,
    2: 0.4 * 1 / 5,
    3: 0.4 * 4 / 8,
    4: 0.4 * 1 / 4,
}


@pytest.mark.parametrize("case", BY_HAND)
def test_distances_by_hand(case: int):
    assert expected_of(case) == pytest.approx(BY_HAND[case])


@pytest.mark.slow
@settings(max_examples=50)
@given(st.integers(1, 7), st.integers(1, 5), st.integers(0, 10**6))
def test_it_is_the_library_s_distance(d_x: int, d_y: int, seed: int):
    X = draw(seed, 41, d_x) * torch.arange(1, d_x + 1) + 3
    Y = X @ draw(seed + 1, d_x, d_y) + 4 * draw(seed + 2, 41, d_y)
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
    turn = torch.linalg.qr(draw(1, 5, 5)).Q
    assert pwcca(X, U_x @ turn, U_y) == pytest.approx(expected_of(5))
    assert pwcca(X, U_x, U_y @ turn) == pytest.approx(expected_of(5))
    assert abs(pwcca(X @ turn, U_x, U_y) - expected_of(5)) > 0.01


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
    report = examine(PWCCA_WEIGHTS, answer)
    assert report.passed, report


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
    assert examine(PWCCA_WEIGHTS, weighed()).passed


@pytest.mark.slow
@pytest.mark.parametrize(
    "change, slug",
    [
        ({"variates": lambda X, U_x, U_y, A, B: U_y @ B}, "other-branch"),
        ({"onto": lambda X, U_x, U_y: U_y}, "other-branch"),
        ({"onto": lambda X, U_x, U_y: U_x}, "whitened-for-features"),
        ({"variates": lambda X, U_x, U_y, A, B: U_x @ B}, "other-side-s-directions"),
        ({"variates": lambda X, U_x, U_y, A, B: U_x @ A.T}, "turned-the-wrong-way"),
        ({"variates": lambda X, U_x, U_y, A, B: U_x}, "not-rotated"),
        ({"variates": lambda X, U_x, U_y, A, B: U_x[:, : A.shape[1]]}, "not-rotated"),
        ({"variates": lambda X, U_x, U_y, A, B: X @ A}, "variates-without-whitening"),
        ({"onto": lambda X, U_x, U_y: torch.nn.functional.normalize(X, dim=0)},
         "features-made-unit"),
        ({"onto": lambda X, U_x, U_y: X / X.std(0)}, "features-made-unit"),
        ({"norm": lambda a: a}, "weights-not-normalised"),
        ({"norm": lambda a: a / len(a)}, "weights-not-normalised"),
        ({"norm": lambda a: a, "value": lambda a, rho: 1 - (a * rho).mean()},
         "weights-not-normalised"),
        ({"weight": lambda products: products.sum(0)}, "signs-cancel"),
        ({"weight": lambda products: products.sum(0).abs()}, "signs-cancel"),
        ({"weight": lambda products: (products**2).sum(0)}, "squares-summed"),
        ({"weight": lambda products: products.norm(dim=0)}, "squares-summed"),
        ({"weight": lambda products: products.abs().sum(1)}, "summed-over-directions"),
        ({"value": torch.dot}, "one-minus-missing"),
        ({"value": lambda a, rho: 1 - rho.mean()}, "plain-mean"),
        ({"norm": lambda a: torch.ones_like(a) / len(a)}, "plain-mean"),
        ({"value": lambda a, rho: 1 - rho @ rho / rho.sum()}, "weighted-by-correlations"),
        ({"value": lambda a, rho: 1 - torch.dot(a, rho**2)}, "correlations-squared"),
    ],
)  # fmt: skip
def test_a_slip_of_the_distance_is_named(change: dict[str, Any], slug: str):
    assert named(weighed(**change)) == slug


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
@pytest.mark.parametrize(
    "answer, slug",
    [
        (over_all_directions, "directions-without-a-partner"),
        (from_the_features_of_y, "other-branch"),
        (plain_mean, "plain-mean"),
        (lambda X, U_x, U_y: pwcca_distance(U_x, U_y, few_samples="allow"),
         "whitened-for-features"),
        (lambda *given: 1 - pwcca(*given), "one-minus-missing"),
    ],
)  # fmt: skip
def test_a_slip_with_whole_functions_is_named(answer: Callable[..., Any], slug: str):
    assert named(answer) == slug


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
    assert is_plain(answer, sentence)
