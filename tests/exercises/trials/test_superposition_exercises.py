"""How much of a dimension a feature has: values by hand, the library's, typical slips."""

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup import analysis
from bottomup.exercises import catalog
from tests.exercises.trials.verdicts import expected_of, named, report_on, wrong_answers

FEATURE_DIMENSIONS = catalog()["feature-dimensions"]


@pytest.mark.parametrize(
    "case, dimensions",
    [
        (0, [2 / 5] * 5),
        (1, [1 / 2, 1 / 2, 1]),
        (2, [4 / (4 + 1), 1 / (1 + 4)]),
        (3, [1.0, 1, 1]),
        (8, [1.0, 1]),
    ],
)
def test_dimensions_by_hand(case: int, dimensions: list[float]):
    torch.testing.assert_close(expected_of(FEATURE_DIMENSIONS, case), torch.tensor(dimensions))


def test_a_feature_without_a_direction_has_no_dimension():
    # the others have the squared lengths 5 and 2, and the product 1
    shares = [5 / (5 + 1 / 5), 0.0, 2 / (2 + 1 / 2)]
    torch.testing.assert_close(expected_of(FEATURE_DIMENSIONS, 7), torch.tensor(shares))


@pytest.mark.parametrize("case", range(len(FEATURE_DIMENSIONS.cases)))
def test_dimensions_are_shares_that_fit_into_the_space(case: int):
    W = FEATURE_DIMENSIONS.cases[case].inputs["W"]
    shares = FEATURE_DIMENSIONS.solution(W)
    assert shares.min() >= 0
    assert shares.max() <= 1 + 1e-5
    assert shares.sum() <= torch.linalg.matrix_rank(W) + 1e-4


def test_the_library_s_dimensions_pass():
    assert report_on(FEATURE_DIMENSIONS, analysis.feature_dimensions).passed


def measured(
    *,
    directions: Callable[[Tensor], Tensor] = lambda W: W / W.norm(dim=0).clamp(min=1e-9),
    products: Callable[[Tensor, Tensor], Tensor] = lambda U, W: torch.einsum("di,dj->ij", U, W),
    shared: Callable[[Tensor], Tensor] = lambda products: (products**2).sum(-1),
    own: Callable[[Tensor, Tensor], Tensor] = lambda W, U: W.norm(dim=0) ** 2,
    none: float = 1e-20,
) -> Callable[[Tensor], Tensor]:
    """An answer as a reader may write it, with one thing to change."""

    def answer(W: Tensor) -> Tensor:
        U = directions(W)
        return own(W, U) / (shared(products(U, W)) + none)

    return answer


def test_the_reader_s_dimensions_pass_unchanged():
    assert report_on(FEATURE_DIMENSIONS, measured()).passed
    assert report_on(
        FEATURE_DIMENSIONS, measured(directions=lambda W: F.normalize(W, dim=0))
    ).passed


def summary_of_the_whole_model(W: Tensor) -> Tensor:
    return W.shape[0] / torch.linalg.matrix_norm(W) ** 2


def one_without_a_direction(W: Tensor) -> Tensor:
    return torch.where(W.any(dim=0), measured(none=0.0)(W), 1)


@wrong_answers(
    {
        "nothing-normalised": [
            measured(directions=lambda W: W),
            measured(own=lambda W, U: (U**2).sum(0)),
        ],
        "both-normalised": measured(products=lambda U, W: U.T @ U),
        "other-lengths-lost": [
            measured(products=lambda U, W: W.T @ U),
            measured(products=lambda U, W: (U.T @ W).T),
            measured(shared=lambda products: products.pow(2).sum(0)),
        ],
        "own-term-left-out": measured(
            shared=lambda products: (products**2).fill_diagonal_(0).sum(-1)
        ),
        "square-missing": [
            measured(shared=lambda products: products.sum(-1)),
            measured(shared=lambda products: products.abs().sum(-1)),
        ],
        "square-of-the-sum": measured(shared=lambda products: products.sum(-1) ** 2),
        "mean-for-sum": measured(shared=lambda products: (products**2).mean(-1)),
        "lengths-not-squared": measured(own=lambda W, U: W.norm(dim=0)),
        "rows-made-unit": measured(directions=F.normalize),
        "one-length-for-all": measured(directions=lambda W: W / W.norm()),
        "epsilon-added": measured(none=1e-6),
        "zero-feature-is-nan": measured(none=0.0),
        "positive-products-only": measured(shared=lambda products: (products.relu() ** 2).sum(-1)),
        "zero-feature-gets-one": one_without_a_direction,
        "dimensions-per-feature": summary_of_the_whole_model,
        "rows-as-features": lambda W: measured()(W.T),
    }
)
def test_a_slip_of_the_dimensions_is_named(wrong, mistake: str):
    assert named(FEATURE_DIMENSIONS, wrong) == mistake


def test_rounding_noise_of_a_pentagon_does_not_hide_the_name():
    def answer(W: Tensor) -> Tensor:
        columns, lengths = W.unbind(1), W.norm(dim=0)
        flipped = list(columns)[::-1]  # another order of the sum: other noise
        sums = [sum(float(a @ b) for b in flipped) / max(float(a.norm()), 1e-9) for a in columns]
        return (lengths**2 / torch.tensor(sums, dtype=W.dtype)).nan_to_num(0, torch.inf, -torch.inf)

    assert named(FEATURE_DIMENSIONS, answer) == "square-missing"


@pytest.mark.parametrize("directions", [
    lambda W: W / W.norm(dim=0), lambda W: torch.nan_to_num(W / W.norm(dim=0)),
])  # fmt: skip
@wrong_answers(
    {
        "own-term-left-out": [
            lambda products: (products**2).sum(1) - products.diagonal() ** 2,
            lambda products: (products * (1 - torch.eye(len(products)))).square().sum(1),
        ],
        "square-missing": lambda products: products.sum(1),
        "square-of-the-sum": lambda products: products.sum(1) ** 2,
    }
)
@pytest.mark.parametrize("settle", [
    lambda D: torch.nan_to_num(D, 0, 0, 0),
    torch.nan_to_num,
    lambda D: torch.where(D.isfinite(), D, 0),
])  # fmt: skip
def test_infinities_set_to_zero_do_not_hide_the_name(
    settle: Callable[[Tensor], Tensor], wrong, mistake: str,
    directions: Callable[[Tensor], Tensor],
):  # fmt: skip
    def answer(W: Tensor) -> Tensor:
        return settle(measured(directions=directions, shared=wrong, none=0.0)(W)).to(W.dtype)

    assert named(FEATURE_DIMENSIONS, answer) == mistake


def test_zero_stands_for_infinity_only_where_infinity_is_expected():
    case = FEATURE_DIMENSIONS.cases[0]
    endless, some = torch.tensor([torch.inf, 0.5]), torch.tensor([0.0, 0.5])
    assert FEATURE_DIMENSIONS.compare(some, endless, case) is None
    assert FEATURE_DIMENSIONS.compare(endless, some, case) is not None
    assert FEATURE_DIMENSIONS.compare(some.double(), endless, case) is not None
    assert FEATURE_DIMENSIONS.compare(torch.zeros(2, dtype=torch.int64), endless, case) is not None


def test_zeros_for_all_features_get_a_plain_report():
    report = report_on(FEATURE_DIMENSIONS, lambda W: torch.zeros_like(W[0]))
    assert report.misconception is None
    assert "0 of 11 cases agree" in report.message


def test_a_cosine_for_the_product_gets_a_plain_report():
    def answer(W: Tensor) -> Tensor:
        return measured(products=lambda U, W: (U.T @ W).acos().nan_to_num())(W)

    report = report_on(FEATURE_DIMENSIONS, answer)
    assert report.misconception is None
    assert "values differ" in report.message
