"""Whitening for CCA, of chapter 08: by hand, the library's correlations, typical slips."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from bottomup.analysis import cca
from bottomup.exercises import Case, catalog
from bottomup.exercises.engine.show import show
from bottomup.exercises.representation_analysis.whitening import compare
from tests.drawn import randn
from tests.exercises.trials.verdicts import is_plain, named, report_on, wrong_answers

WHITENING = catalog()["whitening"]
whiten = WHITENING.solution


def test_four_samples_by_hand():
    U = whiten(WHITENING.cases[0].inputs["X"])
    halves = torch.tensor([[1, 1], [1, -1], [-1, 1], [-1, -1]], dtype=torch.float64) / 2
    torch.testing.assert_close((halves.T @ U).abs(), torch.eye(2, dtype=torch.float64))


RANKS = [2, 2, 3, 2, 2, 2, 2, 2, 2, 4, 7, 6, 1]


@pytest.mark.parametrize("case, rank", list(enumerate(RANKS)))
def test_every_case_has_the_rank_it_is_about(case: int, rank: int):
    X = WHITENING.cases[case].inputs["X"]
    assert whiten(X).shape == (len(X), rank)
    assert X.shape[1] >= rank


def test_features_in_a_small_unit_are_not_shown_as_zeros():
    (case,) = [case for case in WHITENING.cases if case.name == "features in a small unit"]
    assert "e-08" in show(case.inputs["X"])


@pytest.mark.slow
@settings(max_examples=50)
@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 10**6))
def test_products_of_two_bases_hold_the_library_s_correlations(d_x: int, d_y: int, seed: int):
    X = randn(53, d_x, seed=seed) + 7
    Y = X @ randn(d_x, d_y, seed=seed + 1) + randn(53, d_y, seed=seed + 2)
    found = torch.linalg.svdvals(whiten(X).T @ whiten(Y))
    expected = cca(X, Y, few_samples="allow").correlations
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-9)


# ---- How answers are compared


X = randn(11, 3, seed=1)
CASE = Case("", lambda generator: {"X": X})


def test_a_rotation_and_other_signs_are_no_difference():
    U = whiten(X)
    turned = torch.linalg.qr(randn(3, 3, seed=2)).Q
    assert compare(U @ turned, U, CASE) is None
    assert compare(-U.flip(1), U, CASE) is None
    assert compare(U * 3 @ turned, U * 3, CASE) is None


@pytest.mark.parametrize(
    "change, sentence",
    [
        (lambda U: U * 2, "Its columns are not orthonormal: U^T U differs from the identity by 3"),
        (lambda U: U[:, [0, 1, 1]], "Its columns are not orthonormal: U^T U differs from the"),
        (lambda U: U.flip(0), "Its columns are orthonormal, but they span another space"),
        (lambda U: U / 0, "Some of its values are NaN or infinite."),
        (lambda U: U[:, :2], "The result has shape (11, 2), expected (11, 3)."),
        (lambda U: U.float(), "The result has dtype torch.float32, expected torch.float64."),
        (lambda U: U.numpy(), "It returned a NumPy array"),
    ],
)
def test_what_differs_is_said(change: Callable[[Tensor], Any], sentence: str):
    assert sentence in (compare(change(whiten(X)), whiten(X), CASE) or "")


def test_which_noise_fills_a_column_does_not_matter_but_that_it_does():
    U, more = whiten(X), randn(11, 2, seed=3)
    more = more - U @ (U.T @ more)
    first, second = (torch.cat([U, column[:, None] / column.norm()], dim=1) for column in more.T)
    padded = torch.cat([U, torch.zeros(11, 1, dtype=torch.float64)], dim=1)
    assert compare(first, second, CASE) is None
    assert compare(first, padded, CASE) is not None
    assert compare(padded, first, CASE) is not None
    assert compare(torch.cat([U, more[:, :1] / 0], dim=1), first, CASE) is None
    assert compare(torch.cat([2 * U, more[:, :1]], dim=1), first, CASE) is not None


# ---- Other right answers


def with_numpy(X):
    centred = X.numpy() - X.numpy().mean(axis=0)
    U, S, _Vh = np.linalg.svd(centred, full_matrices=False)
    return torch.from_numpy(U[:, S / S.max() > 1e-5])


def all_of_u(X):
    U, S, _Vh = torch.linalg.svd(X - X.mean(0))  # U is square
    return U[:, : int((S / S[0] > 1e-5).sum())]


def of_the_covariance(X):
    """The textbook's whitening, with unit variance, brought to length 1."""
    Xc = X - X.mean(dim=0)
    values, vectors = torch.linalg.eigh(torch.cov(X.T).reshape(X.shape[1], X.shape[1]))
    kept = values.clamp(min=0).sqrt() > 1e-5 * values.max().sqrt()
    return Xc @ vectors[:, kept] / values[kept].sqrt() / (len(X) - 1) ** 0.5


def with_orth(X):
    """Gram and Schmidt over the singular directions, twice against rounding."""
    Xc = X - X.mean(0)
    _U, S, Vh = torch.linalg.svd(Xc, full_matrices=False)
    columns: list[Tensor] = []
    for s, v in zip(S, Vh, strict=True):
        if s <= 1e-5 * S[0]:
            break
        column = Xc @ v
        for _again in range(2):
            for other in columns:
                column = column - (other @ column) * other
        columns.append(column / column.norm())
    return torch.stack(columns, dim=1)


def with_cholesky(X):
    Xc = X - X.mean(0)
    _U, S, Vh = torch.linalg.svd(Xc, full_matrices=False)
    reduced = Xc @ Vh[S / S[0] > 1e-5].T
    L = torch.linalg.cholesky(reduced.T @ reduced)
    return torch.linalg.solve_triangular(L, reduced.T, upper=False).T


def with_normalised_scores(X):
    _U, S, Vh = torch.svd(X - X.mean(0))
    scores = (X - X.mean(0)) @ Vh[:, S / S[0] > 1e-5]
    return torch.nn.functional.normalize(scores, dim=0)


@pytest.mark.parametrize(
    "answer",
    [with_numpy, all_of_u, of_the_covariance, with_orth, with_cholesky, with_normalised_scores],
)
def test_other_ways_to_whiten_pass(answer: Callable[..., Any]):
    assert report_on(WHITENING, answer).passed


def test_the_library_s_variates_pass():
    # X against itself: every correlation is 1, the variates are a basis
    assert report_on(WHITENING, lambda X: cca(X, X, few_samples="allow").variates_x).passed


# ---- Slips


def by_svd(
    *,
    mean: Callable[[Tensor], Any] = lambda X: X.mean(0),
    limit: Callable[[Tensor], Tensor] = lambda S: S / S.max() > 1e-5,
    result: Callable[..., Tensor] = lambda Xc, U, S, V: U,
) -> Callable[[Tensor], Tensor]:
    """An answer as a reader may write it, with one thing to change."""

    def answer(X: Tensor) -> Tensor:
        Xc = X - mean(X)
        U, S, V = torch.svd(Xc)
        kept = limit(S)
        return result(Xc, U[:, kept], S[kept], V[:, kept])

    return answer


def by_eigh(
    *,
    mean: Callable[[Tensor], Any] = lambda X: X.mean(0),
    divisor: Callable[[int], float] = lambda n: 1.0,
    limit: Callable[[Tensor], Tensor] = lambda values: values > 1e-10 * values[-1],
    root: Callable[[Tensor], Tensor] = torch.sqrt,
) -> Callable[[Tensor], Tensor]:
    """The same by the eigenvectors of the covariance."""

    def answer(X: Tensor) -> Tensor:
        Xc = X - mean(X)
        values, vectors = torch.linalg.eigh(Xc.T @ Xc / divisor(len(X)))
        kept = limit(values)
        return Xc @ vectors[:, kept] / root(values[kept])

    return answer


def by_full_svd(result: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """Without full_matrices=False: U is square."""

    def answer(X: Tensor) -> Tensor:
        U, S, _Vh = torch.linalg.svd(X - X.mean(0))
        return result(U, S)

    return answer


def test_the_reader_s_whitening_passes_unchanged():
    assert report_on(WHITENING, by_svd()).passed
    assert report_on(WHITENING, by_eigh()).passed


@pytest.mark.slow
@wrong_answers(
    {
        "not-centred": [by_svd(mean=lambda X: 0), by_eigh(mean=lambda X: 0)],
        "another-mean": [by_svd(mean=lambda X: X.mean(1, keepdim=True)), by_svd(mean=torch.mean)],
        "noise-kept": [
            by_svd(limit=lambda S: S > -1),
            by_svd(limit=lambda S: S > -1, result=lambda Xc, U, S, V: Xc @ V / S),
            by_eigh(limit=lambda values: values > -1),
            lambda X: torch.linalg.qr(X - X.mean(0))[0],
        ],
        "limit-too-low": by_svd(limit=lambda S: S > 1e-12),
        "absolute-limit": by_svd(limit=lambda S: S > 1e-5),
        "limit-on-the-squares": [
            by_svd(limit=lambda S: (S / S[0]) ** 2 > 1e-5),
            by_eigh(limit=lambda values: values > 1e-5 * values.max()),
        ],
        "large-directions-only": by_svd(
            limit=lambda S: (
                torch.arange(len(S)) <= int(((S**2).cumsum(0) / (S**2).sum() < 0.99).sum())
            )
        ),
        "not-divided": [
            by_svd(result=lambda Xc, U, S, V: U * S),
            by_svd(result=lambda Xc, U, S, V: Xc @ V),
            lambda X: X - X.mean(0),
        ],
        "divided-twice": [
            by_svd(result=lambda Xc, U, S, V: U @ torch.diag(1 / S)),
            by_svd(result=lambda Xc, U, S, V: Xc @ V / S**2),
            by_eigh(root=lambda values: values),
            by_eigh(root=lambda values: values, divisor=lambda n: n - 1),
        ],
        "unit-variance": [
            by_eigh(divisor=lambda n: n),
            by_eigh(divisor=lambda n: n - 1),
            by_svd(result=lambda Xc, U, S, V: U / U.std(0)),
        ],
        "standardised": [
            lambda X: (X - X.mean(0)) / X.std(0),
            lambda X: torch.nan_to_num((X - X.mean(0)) / X.std(0, correction=0)),
            lambda X: torch.nn.functional.normalize(X - X.mean(0), dim=0),
        ],
        "one-divisor": [
            lambda X: (X - X.mean(0)) / torch.linalg.svdvals(X - X.mean(0))[0],
            lambda X: (X - X.mean(0)) / torch.linalg.norm(X - X.mean(0)),
        ],
        "full-matrices": [
            by_full_svd(lambda U, S: U[:, S / S[0] > 1e-5]),
            by_full_svd(lambda U, S: U.T[S / S.max() > 1e-5].T),
            by_full_svd(lambda U, S: U),
        ],
        "not-cut-to-the-rank": by_svd(result=lambda Xc, U, S, V: U @ V.T),
        "feature-side": [
            by_svd(result=lambda Xc, U, S, V: V),
            by_svd(result=lambda Xc, U, S, V: V.T),
            lambda X: whiten(X.T),
            lambda X: whiten(X.T).T,
        ],
        "projector-returned": by_svd(result=lambda Xc, U, S, V: U @ U.T),
    }
)
def test_a_slip_of_the_whitening_is_named(wrong, mistake: str):
    assert named(WHITENING, wrong) == mistake


@pytest.mark.slow
@pytest.mark.parametrize(
    "answer, sentence",
    [
        (lambda X: torch.linalg.svd(X - X.mean(0)), "expected a tensor"),
        (by_svd(limit=lambda S: (S**2).cumsum(0) / (S**2).sum() <= 0.99), "has shape (4, 1)"),
        (by_full_svd(lambda U, S: U[S / S[0] > 1e-5]), "U has a column for each sample, and the"),
        (lambda X: whiten(X)[:, torch.ones(9) > 0], "Your function raised IndexError"),
        (lambda X: whiten(X).numpy(), "It returned a NumPy array"),
        (lambda X: whiten(X).float(), "has dtype torch.float32"),
        (lambda X: whiten(X)[:, :1], "The result has shape (4, 1), expected (4, 2)."),
        (lambda X: whiten(X).roll(1, dims=0), "Its columns are orthonormal, but they span"),
        (lambda X: torch.linalg.solve_triangular(
            torch.linalg.cholesky((X - X.mean(0)).T @ (X - X.mean(0))), (X - X.mean(0)).T,
            upper=False).T, "raised"),
    ],
)  # fmt: skip
def test_another_basis_gets_a_plain_report(answer: Callable[..., Any], sentence: str):
    assert is_plain(WHITENING, answer, sentence)
