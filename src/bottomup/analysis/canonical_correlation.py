"""Canonical correlation analysis: which directions do two sets of features share?

Two representations of the same samples stand in X [sample, d_x] and Y [sample, d_y]. `pwcca` makes
distances from what is found here.
"""

import warnings
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float, Float64
from torch import Tensor

from bottomup.checks import check_axes, check_choice, check_number

FEW_SAMPLES = ("refuse", "allow")
LEAST = 10  # samples for each feature
ENOUGH = 100


class FewSamplesWarning(UserWarning):
    """Fewer than 100 samples for each feature: correlations come out too high, distances too low.

    Give more samples, or hold the value against `shuffled_pwcca` for the same number of them.
    """


@dataclass(frozen=True, eq=False)
class CCA:
    """Canonical directions of two sets of features, the most correlated pair first.

    Attributes:
        correlations: rho_i, each from 0 to 1, falling. There are as many as the smaller of the two
            ranks.
        variates_x: h_i = (X - mean) w_i, the values of the directions for every sample, of length
            1 and orthogonal to each other.
        variates_y: the same for Y; entry i of X and entry i of Y belong together, and their dot
            product is rho_i.
        weights_x: w_i, a column for each direction.
        weights_y: the same for Y.
    """

    correlations: Float64[Tensor, " direction"]
    variates_x: Float64[Tensor, "sample direction"]
    variates_y: Float64[Tensor, "sample direction"]
    weights_x: Float64[Tensor, "d_x direction"]
    weights_y: Float64[Tensor, "d_y direction"]


class Basis(NamedTuple):
    """Centred features and their singular value decomposition ``U diag(S) Vh``, cut to the rank."""

    centred: Float64[Tensor, "sample feature"]
    U: Float64[Tensor, "sample rank"]
    S: Float64[Tensor, " rank"]
    Vh: Float64[Tensor, "rank feature"]


def cca(
    X: Float[Tensor, "sample d_x"],
    Y: Float[Tensor, "sample d_y"],
    *,
    tolerance: int | float = 1e-5,
    few_samples: str = "refuse",
) -> CCA:
    """Return the pairs of directions, one of X and one of Y, that correlate most.

    ``rho_i = max over w, v of corr(X w, Y v)``

    where X w is uncorrelated with the directions of X before it, and Y v with those of Y. With the
    singular value decompositions ``X - mean = U_x S_x V_x^T`` and the same for Y, the rho_i are
    the singular values of ``U_x^T U_y = A diag(rho) B^T``, and

    ``h_i = (U_x A)_i    w_i = (V_x S_x^{-1} A)_i``

    Any invertible affine map of X or of Y leaves the correlations. Directions whose singular value
    is at most `tolerance` times the largest one are dropped first, since dividing by S_x would
    turn their rounding errors into directions like any other. So duplicate, constant and dependent
    features do no harm, and a map that squeezes a direction below `tolerance` does change the
    outcome. Where correlations are equal, their directions may be turned among themselves.

    Samples are counted as rows. With as many features as samples, every correlation is 1 whatever
    the data, and with 10 samples a feature those of unrelated data are still far from 0. Vectors
    of one word type resemble each other, so a row of text counts for less than a sample.

    It computes in float64, on the device of X, without gradients.

    Args:
        X: a row for each sample; any floating-point dtype.
        Y: the same samples in the same order.
        tolerance: share of the largest singular value up to which a direction is dropped.
        few_samples: "refuse" raises below 10 samples for each feature of the wider side and warns
            below 100; "allow" does neither, which serves to show what goes wrong.

    Warns:
        FewSamplesWarning: fewer than 100 samples for each feature.

    Source: Hotelling (1936); Raghu et al. (2017); Morcos, Raghu and Bengio (2018). That 10 samples
    a feature are the least, and 100 enough, is our choice. Chapter 08 derives it.
    """
    return correlate(*bases(X, Y, tolerance, few_samples))


def correlate(x: Basis, y: Basis) -> CCA:
    """Return the canonical directions within two subspaces, each given by a basis."""
    A, rho, Bh = torch.linalg.svd(x.U.T @ y.U, full_matrices=False)
    return CCA(
        correlations=rho.clamp(0, 1),  # rounding may lead beyond 1
        variates_x=x.U @ A,
        variates_y=y.U @ Bh.T,
        weights_x=x.Vh.T @ (A / x.S[:, None]),
        weights_y=y.Vh.T @ (Bh.T / y.S[:, None]),
    )


def bases(
    X: Tensor, Y: Tensor, tolerance: int | float, few_samples: str
) -> tuple[Basis, Basis]:
    """Check what a public function was given and return the bases of X and Y.

    A warning names the line that called the public function, if that calls this one itself.
    """
    check_number("tolerance", tolerance, above=0, below=1)
    check_choice("few_samples", few_samples, FEW_SAMPLES)
    samples, d_x = check_axes("X", X, "sample d_x").values()
    d_y = check_axes("Y", Y, "sample d_y", sample=samples)["d_y"]
    if X.device != Y.device:
        raise ValueError(
            f"Y: expected the device {X.device} of X, got {Y.device}"
        )
    if few_samples == "refuse":
        _check_samples(samples, max(d_x, d_y))
    return _basis("X", X, tolerance), _basis("Y", Y, tolerance)


def _check_samples(samples: int, features: int) -> None:
    text = (
        f"X, Y: expected at least {{}} samples for each of {features} features, {{}} in all, "
        f"got {samples}; with fewer, correlations of unrelated data come out high as well"
    )
    if samples < LEAST * features:
        advice = " (few_samples='allow' computes them all the same)"
        raise ValueError(text.format(LEAST, LEAST * features) + advice)
    if samples < ENOUGH * features:
        message = text.format(ENOUGH, ENOUGH * features)
        warnings.warn(message, FewSamplesWarning, stacklevel=4)


def _basis(name: str, features: Tensor, tolerance: int | float) -> Basis:
    values = features.detach().double()
    if not bool(values.isfinite().all()):
        wrong = values[~values.isfinite()][0].item()
        raise ValueError(f"{name}: expected finite numbers, got {wrong}")
    centred = (
        values - values[0]
    )  # first, so that constant features become zeros without rounding
    centred = centred - centred.mean(dim=0)
    U, S, Vh = torch.linalg.svd(centred, full_matrices=False)
    if S[0] == 0:
        raise ValueError(
            f"{name}: expected a feature that varies, got the same row for all samples"
        )
    kept = tolerance * S[0] < S
    return Basis(centred, U[:, kept], S[kept], Vh[kept])
