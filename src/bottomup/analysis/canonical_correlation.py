"""Canonical correlation: which directions do two sets of features share?

Two representations of the same samples stand in X [sample, d_x] and
Y [sample, d_y].
"""

import sys
import warnings
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float, Float64
from torch import Tensor

from bottomup.analysis.samples import check_finite, check_vectors
from bottomup.checks import check_choice, check_number
from bottomup.training.device import in_float64

LEAST = 10  # samples for each feature
ENOUGH = 100


class FewSamplesWarning(UserWarning):
    """Fewer than 100 samples for each feature: distances come out too low.

    Give more samples, or hold the value against `shuffled_pwcca` for as many.
    """


@dataclass(frozen=True, eq=False)
class CCA:
    """Canonical directions of two sets of features, the most correlated first.

    Attributes:
        correlations: rho_i, each from 0 to 1, falling. There are as many as the
            smaller of the two ranks.
        variates_x: h_i = (X - mean) w_i, the values of the directions for every
            sample, of length 1 and orthogonal to each other.
        variates_y: the same for Y; entry i of X and entry i of Y belong
            together, and their dot product is rho_i.
        weights_x: w_i, a column for each direction.
        weights_y: the same for Y.
    """

    correlations: Float64[Tensor, " direction"]
    variates_x: Float64[Tensor, "sample direction"]
    variates_y: Float64[Tensor, "sample direction"]
    weights_x: Float64[Tensor, "d_x direction"]
    weights_y: Float64[Tensor, "d_y direction"]


class Basis(NamedTuple):
    """Centred features, and their ``U diag(S) Vh`` cut to the rank."""

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
    """Return the pairs of directions, of X and of Y, that correlate most.

    ``rho_i = max over w, v of corr(X w, Y v)``

    where X w is uncorrelated with the directions of X before it, and Y v with
    those of Y. With the singular value decompositions
    ``X - mean = U_x S_x V_x^T`` and the same for Y, the rho_i are the singular
    values of ``U_x^T U_y = A diag(rho) B^T``, and

    ``h_i = (U_x A)_i    w_i = (V_x S_x^{-1} A)_i``

    Any invertible affine map of X or of Y leaves the correlations, as long as
    it squeezes no direction below `tolerance`: those are dropped first, since
    divided by S_x their rounding errors would be directions like any other. So
    duplicate, constant and dependent features do no harm. Where correlations
    are equal, their directions may be turned among themselves.

    With as many features as samples every correlation is 1 whatever the data,
    and with 10 samples a feature those of unrelated data are still far from 0.
    A row of text counts for less than a sample: words resemble each other. It
    computes in float64 without gradients.

    Args:
        X: a row for each sample; any floating-point dtype.
        Y: the same samples in the same order.
        tolerance: share of the largest singular value up to which a direction
            is dropped.
        few_samples: "refuse" raises below 10 samples for each feature of the
            wider side and warns below 100; "allow" does neither.

    Warns:
        FewSamplesWarning: fewer than 100 samples for each feature.

    Source: Hotelling (1936); Raghu et al. (2017); Morcos, Raghu and Bengio
    (2018). That 10 samples a feature are the least, and 100 enough, is our
    choice. Chapter 08 derives it.

    Example:
        >>> X = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
        >>> cca(X, 3 * X + 1, few_samples="allow").correlations
        tensor([1.0000, 1.0000], dtype=torch.float64)
    """
    return correlate(*bases(X, Y, tolerance, few_samples))


def correlate(x: Basis, y: Basis) -> CCA:
    """Return the canonical directions within two subspaces."""
    # A: [rank_x, direction], rho: [direction], Bh: [direction, rank_y]
    A, rho, Bh = torch.linalg.svd(x.U.T @ y.U, full_matrices=False)
    return CCA(
        correlations=rho.clamp(0, 1),  # rounding may lead beyond 1
        variates_x=x.U @ A,  # [sample, direction]
        variates_y=y.U @ Bh.T,
        weights_x=x.Vh.T @ (A / x.S[:, None]),  # [d_x, direction]
        weights_y=y.Vh.T @ (Bh.T / y.S[:, None]),
    )


def mean_cca_distance(
    X: Float[Tensor, "sample d_x"],
    Y: Float[Tensor, "sample d_y"],
    *,
    tolerance: int | float = 1e-5,
    few_samples: str = "refuse",
) -> float:
    """Return one minus the mean of the canonical correlations, from 0 to 1.

    ``1 - 1/c sum_i rho_i``, over all c directions of the smaller rank

    Each direction counts alike, be it a large part of X or next to nothing. The
    distance is symmetric, and any invertible affine map of X or Y leaves it.

    The arguments are those of `cca`.

    Source: Morcos, Raghu and Bengio (2018). Chapter 08 derives it.
    """
    rho = correlate(*bases(X, Y, tolerance, few_samples)).correlations
    return float((1 - rho.mean()).clamp(0, 1))


def bases(
    X: Tensor, Y: Tensor, tolerance: int | float, few_samples: str
) -> tuple[Basis, Basis]:
    """Check two representations and return their bases."""
    check_number("tolerance", tolerance, above=0, below=1)
    check_vectors("X", X, "sample d_x")
    check_vectors("Y", Y, "sample d_y", sample=len(X))
    if X.device != Y.device:
        raise ValueError(
            f"Y: expected the device {X.device} of X, got {Y.device}"
        )
    widest = max(X.shape[1], Y.shape[1])
    check_samples("X, Y", len(X), widest, few_samples)
    return _basis("X", X, tolerance), _basis("Y", Y, tolerance)


def check_samples(
    name: str,
    samples: int,
    features: int,
    few_samples: str = "refuse",
    *,
    note: str = "few_samples='allow' goes on all the same",
) -> None:
    """Refuse fewer than 10 samples for each feature, and warn below 100.

    The warning names the line that called into `bottomup.analysis`.
    """
    check_choice("few_samples", few_samples, ("refuse", "allow"))
    if few_samples == "allow" or samples >= ENOUGH * features:
        return
    refuse = samples < LEAST * features
    needed = LEAST if refuse else ENOUGH
    text = (
        f"{name}: expected at least {needed} samples for each of {features} "
        f"features, {needed * features} in all, got {samples}; {note}"
    )
    if refuse:
        raise ValueError(text)
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals["__package__"] == __package__:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, FewSamplesWarning, stacklevel=level)


def _basis(name: str, features: Tensor, tolerance: int | float) -> Basis:
    values = in_float64(features.detach())  # [sample, feature]
    check_finite(name, values)
    # First this, so that constant features become zeros without rounding.
    centred = values - values[0]
    centred = centred - centred.mean(dim=0)
    U, S, Vh = torch.linalg.svd(centred, full_matrices=False)
    if S[0] == 0:
        raise ValueError(
            f"{name}: expected a feature that varies, got the same row for all "
            "samples"
        )
    large = tolerance * S[0] < S  # [rank]
    return Basis(centred, U[:, large], S[large], Vh[large])
