"""Whitening for CCA, of chapter 08: ranks, the library's correlations, its comparison."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from bottomup.analysis import cca
from bottomup.exercises import Case, catalog
from bottomup.exercises.engine.show import show
from bottomup.exercises.representation_analysis.whitening.cases import compare
from tests.drawn import randn
from tests.exercises.trials.verdicts import is_plain

WHITENING = catalog()["whitening"]
whiten = WHITENING.solution


RANKS = [2, 2, 3, 2, 2, 2, 1, 2, 13, 2, 2, 4, 7, 6, 1]


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


# ---- What a report says


def square_u(index):
    """Without full_matrices=False U has a column for each sample."""

    def answer(X):
        U, S, _Vh = torch.linalg.svd(X - X.mean(0))
        return index(U, S / S[0] > 1e-5)

    return answer


@pytest.mark.slow
@pytest.mark.parametrize(
    "answer, sentence",
    [
        (lambda X: torch.linalg.svd(X - X.mean(0)), "expected a tensor"),
        (square_u(lambda U, kept: U[kept]), "U has a column for each sample, and the"),
        (lambda X: whiten(X)[:, torch.ones(9) > 0], "Your function raised IndexError"),
        (lambda X: whiten(X).roll(1, dims=0), "Its columns are orthonormal, but they span"),
    ],
)
def test_another_basis_gets_a_plain_report(answer: Callable[..., Any], sentence: str):
    assert is_plain(WHITENING, answer, sentence)
