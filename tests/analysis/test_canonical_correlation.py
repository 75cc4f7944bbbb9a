import warnings

import numpy as np
import pytest
import scipy.linalg
import torch

from bottomup.analysis import (
    FewSamplesWarning,
    cca,
    mean_cca_distance,
    pwcca_distance,
    shuffled_pwcca,
    svcca_distance,
)
from tests.analysis.representations import E1, E2, E3, E, columns, draw, related
from tests.drawn import seeded

FUNCTIONS = (cca, mean_cca_distance, svcca_distance, pwcca_distance)
SHUFFLE = seeded(7)


def test_correlations_and_directions_by_hand():
    X = columns(2 * E1, 3 * E2) + 5
    Y = columns(E1, 0.6 * E2 + 0.8 * E3)
    found = cca(X, Y, few_samples="allow")
    assert found.correlations.tolist() == pytest.approx([1, 0.6])
    torch.testing.assert_close(found.variates_x.abs(), columns(E1, E2).abs())
    torch.testing.assert_close(found.variates_y.abs(), Y.abs())
    inverse = torch.tensor([[1 / 2, 0], [0, 1 / 3]], dtype=torch.float64)
    torch.testing.assert_close(found.weights_x.abs(), inverse)
    torch.testing.assert_close(found.weights_y.abs(), torch.eye(2, dtype=torch.float64))


def test_the_correlations_are_those_of_the_eigenvalue_problem(generator):
    X, Y = related(generator, 307, 3, 2)
    Xc, Yc = (X - X.mean(0)).numpy(), (Y - Y.mean(0)).numpy()
    C_xy = Xc.T @ Yc
    M = C_xy @ scipy.linalg.solve(Yc.T @ Yc, C_xy.T)
    squares = scipy.linalg.eigh(M, Xc.T @ Xc, eigvals_only=True)[::-1]
    np.testing.assert_allclose(cca(X, Y).correlations, np.sqrt(squares[:2]), atol=1e-12)


def test_variates_are_what_the_weights_make_of_the_features(generator):
    X, Y = related(generator, 719, 7, 5)
    found = cca(X, Y)
    assert (found.weights_x.shape, found.weights_y.shape) == ((7, 5), (5, 5))
    torch.testing.assert_close((X - X.mean(0)) @ found.weights_x, found.variates_x)
    torch.testing.assert_close((Y - Y.mean(0)) @ found.weights_y, found.variates_y)
    one = torch.eye(5, dtype=torch.float64)
    torch.testing.assert_close(found.variates_x.T @ found.variates_x, one)
    torch.testing.assert_close(found.variates_y.T @ found.variates_y, one)
    crossed = found.variates_x.T @ found.variates_y
    torch.testing.assert_close(crossed, torch.diag(found.correlations))
    assert (found.correlations.diff() < 0).all()


def test_duplicate_constant_and_dependent_features_add_no_direction(generator):
    X, Y = related(generator, 1103, 5, 3)
    rho = cca(X, Y).correlations
    constant, total = torch.full((1103, 1), 0.1), X.sum(dim=1, keepdim=True)
    more = [X[:, :1], constant, X[:, 1:3].sum(dim=1, keepdim=True), total]
    extended = torch.cat([X, *more], dim=1)
    found = cca(extended, Y)
    torch.testing.assert_close(found.correlations, rho)
    assert found.weights_x.shape == (9, 3)
    torch.testing.assert_close((extended - extended.mean(0)) @ found.weights_x, found.variates_x)
    assert mean_cca_distance(extended, extended @ draw(generator, 9, 9)) < 1e-9
    # seen from Y, PWCCA has not changed; seen from X, a feature that stands there twice weighs more
    assert pwcca_distance(Y, extended) == pytest.approx(pwcca_distance(Y, X), abs=1e-9)
    assert abs(pwcca_distance(extended, Y) - pwcca_distance(X, Y)) > 1e-3


def test_a_representation_of_low_rank_has_as_many_correlations(generator):
    X = draw(generator, 1103, 2) @ draw(generator, 2, 11)
    Y = draw(generator, 1103, 7)
    assert cca(X, Y).correlations.shape == (2,)
    assert cca(X, X).correlations.tolist() == pytest.approx([1, 1])
    # rounded to float32, the other nine directions are noise below the tolerance
    assert cca(X.float(), Y).correlations.shape == (2,)
    assert cca(X.float(), Y, tolerance=1e-12).correlations.shape == (7,)


def test_the_tolerance_is_a_share_of_the_largest_singular_value():
    X = columns(1e3 * E1, 1e-1 * E2)
    assert len(cca(X, X, few_samples="allow").correlations) == 2
    assert len(cca(X, X, tolerance=1.1e-4, few_samples="allow").correlations) == 1
    squeezed = columns(1e3 * E1, 0.9e-2 * E2)
    assert len(cca(squeezed, squeezed, few_samples="allow").correlations) == 1


def test_constant_features_alone_are_refused_whatever_their_mean_rounds_to(generator):
    constant = torch.tensor([0.1, 0.3, 1e6 / 7], dtype=torch.float64).expand(701, 3)
    assert ((constant - constant.mean(dim=0)) != 0).any()
    with pytest.raises(ValueError, match="X: expected a feature that varies"):
        cca(constant, draw(generator, 701, 2))


@pytest.mark.parametrize("function", [*FUNCTIONS, shuffled_pwcca])
def test_too_few_samples_are_refused_or_warned_about(generator, function):
    options = {"generator": generator} if function is shuffled_pwcca else {}
    X, Y = draw(generator, 700, 3), draw(generator, 700, 7)
    wanted = r"at least 10 samples for each of 7 features, 70 in all, got 69; .*few_samples='allow'"
    for pair in ((X[:69], Y[:69]), (Y[:69], X[:69])):
        with pytest.raises(ValueError, match=wanted):
            function(*pair, **options)
    for samples in (70, 699):
        text = f"at least 100 samples for each of 7 features, 700 in all, got {samples};"
        with pytest.warns(FewSamplesWarning, match=text) as caught:
            function(X[:samples], Y[:samples], **options)
        assert [each.filename for each in caught] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        function(X, Y, **options)
        function(X[:69], Y[:69], few_samples="allow", **options)


@pytest.mark.parametrize(
    ("X", "Y", "error", "text"),
    [
        (E[:, :2], E[:7, :2], ValueError, r"Y: expected axes \[sample=8, d_y\], got shape \(7, 2"),
        (E.where(E > 0, torch.nan), E, ValueError, "X: expected finite numbers, got nan"),
        (E, -E / 0, ValueError, r"Y: expected finite numbers, got -?inf"),
        (0 * E + 0.1, E, ValueError, "X: expected a feature that varies, got the same row"),
    ],
)
def test_bad_representations_are_refused(X, Y, error, text):
    for function in FUNCTIONS:
        with pytest.raises(error, match=text):
            function(X, Y, few_samples="allow")
    with pytest.raises(error, match=text):
        shuffled_pwcca(X, Y, generator=SHUFFLE, few_samples="allow")
