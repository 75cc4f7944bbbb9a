"""Distances between representations: means of canonical correlations, plain and weighted.

Two representations of the same samples stand in X [sample, d_x] and Y [sample, d_y]. Every
distance here runs from 0 to 1, and for unrelated data it depends on the number of samples.
"""

import torch
from jaxtyping import Float, Float64
from torch import Tensor

from bottomup.analysis.canonical_correlation import Basis, bases, correlate
from bottomup.checks import (
    check_choice,
    check_generator,
    check_integer,
    check_number,
)


def mean_cca_distance(
    X: Float[Tensor, "sample d_x"],
    Y: Float[Tensor, "sample d_y"],
    *,
    tolerance: int | float = 1e-5,
    few_samples: str = "refuse",
) -> float:
    """Return one minus the mean of the canonical correlations.

    ``1 - 1/c sum_i rho_i``

    The sum runs over all c directions of the side with the smaller rank. Each counts alike, be it
    a large part of X or next to nothing. The distance is symmetric, and any invertible affine map
    of X or Y leaves it.

    Args:
        X: a row for each sample.
        Y: the same samples in the same order.
        tolerance, few_samples: as for `cca`.

    Warns:
        FewSamplesWarning: fewer than 100 samples for each feature.

    Source: Morcos, Raghu and Bengio (2018). Chapter 08 derives it.
    """
    x, y = bases(X, Y, tolerance, few_samples)
    return _between_0_and_1(1 - correlate(x, y).correlations.mean())


def svcca_distance(
    X: Float[Tensor, "sample d_x"],
    Y: Float[Tensor, "sample d_y"],
    *,
    variance: int | float = 0.99,
    tolerance: int | float = 1e-5,
    few_samples: str = "refuse",
) -> float:
    """Return the mean CCA distance between the large directions of X and of Y.

    ``1 - 1/c sum_i rho_i`` over the first k_x singular directions of X and k_y of Y, c = min

    k_x is the least number of directions that hold the share `variance` of X's variance, so it
    drops what `mean_cca_distance` counts in full. In return the distance depends on scale: an
    orthogonal map, a shift or one common factor leave it, and other invertible maps need not.

    Args:
        X: a row for each sample.
        Y: the same samples in the same order.
        variance: share of the variance to keep on each side, above 0 and at most 1.
        tolerance, few_samples: as for `cca`. The samples are counted against all features, also
            where few directions are kept.

    Warns:
        FewSamplesWarning: fewer than 100 samples for each feature.

    Source: Raghu et al. (2017). Chapter 08 derives it.
    """
    check_number("variance", variance, above=0, at_most=1)
    x, y = bases(X, Y, tolerance, few_samples)
    rho = correlate(_largest(x, variance), _largest(y, variance)).correlations
    return _between_0_and_1(1 - rho.mean())


def pwcca_distance(
    X: Float[Tensor, "sample d_x"],
    Y: Float[Tensor, "sample d_y"],
    *,
    symmetric: bool = False,
    tolerance: int | float = 1e-5,
    few_samples: str = "refuse",
) -> float:
    """Return the projection-weighted CCA distance of Y from X.

    ``1 - sum_i a_i rho_i`` with ``a_i = sum_j |<h_i, x_j>| / sum_k sum_j |<h_k, x_j>|``

    h_i is the i-th canonical variate of X, of length 1, and x_j the feature j of X, centred: both
    are vectors over the samples. A direction counts by how much of X's features it makes up. The
    variates are those of the whitened data; the weights ask for the features before whitening.

    What leaves the distance: any invertible affine map of Y (as far as `tolerance` allows), a
    shift and a common factor of X, another order of the samples. What does not: a rotation of X,
    since the weights depend on which features X is written in. So it is asymmetric. The average of
    both directions, ``symmetric=True``, is our choice and what chapter 08 reports; then a rotation
    of Y matters too.

    With more directions in X than in Y, only the c directions of X that have a partner in Y are
    weighed. So the distance is 0 if Y spans a part of X: X can hold more than Y. Where correlations
    are exactly equal their directions are not unique, and the weights are not either. That is so
    for several correlations of 1, as where X and Y have features in common besides others, or
    where there are fewer samples than features of both sides together.

    The sample-size trap: for independent Gaussian data of width 64 the distance is 0 at 65
    samples, .36 at 128, .73 at 640 and .92 at 6400. Compare with `shuffled_pwcca`.

    Args:
        X: a row for each sample; its features set the weights.
        Y: the same samples in the same order.
        symmetric: whether to average the distance with that of X from Y.
        tolerance, few_samples: as for `cca`.

    Warns:
        FewSamplesWarning: fewer than 100 samples for each feature.

    Source: Morcos, Raghu and Bengio (2018). Chapter 08 derives it.
    """
    check_choice("symmetric", symmetric, (False, True))
    x, y = bases(X, Y, tolerance, few_samples)
    return _between_0_and_1(_weighted(x, y, symmetric))


def shuffled_pwcca(
    X: Float[Tensor, "sample d_x"],
    Y: Float[Tensor, "sample d_y"],
    *,
    generator: torch.Generator,
    draws: int = 10,
    symmetric: bool = False,
    tolerance: int | float = 1e-5,
    few_samples: str = "refuse",
) -> Float64[Tensor, " draw"]:
    """Return the PWCCA distance after the rows of Y are permuted, once for each draw.

    This keeps the features of both sides, their scales and the number of samples, and breaks only
    the tie between the two. It is the value for unrelated data: a distance says that X and Y share
    something where it lies below these.

    Args:
        X: a row for each sample.
        Y: the same samples in the same order.
        generator: gives the permutations; on the CPU, wherever X is.
        draws: number of permutations.
        symmetric, tolerance, few_samples: as for `pwcca_distance`.

    Returns:
        One distance for each permutation, on the CPU.

    Warns:
        FewSamplesWarning: fewer than 100 samples for each feature.

    Source: ours. Chapter 08 uses it.
    """
    check_generator("generator", generator)
    check_integer("draws", draws, at_least=1)
    check_choice("symmetric", symmetric, (False, True))
    x, y = bases(X, Y, tolerance, few_samples)
    found = []
    for _draw in range(draws):
        order = torch.randperm(len(X), generator=generator).to(X.device)
        shuffled = y._replace(centred=y.centred[order], U=y.U[order])
        found.append(_between_0_and_1(_weighted(x, shuffled, symmetric)))
    return torch.tensor(found, dtype=torch.float64)


def _weighted(x: Basis, y: Basis, symmetric: bool) -> Tensor:
    found = correlate(x, y)
    distance = _one_way(found.correlations, found.variates_x, x.centred)
    if not symmetric:
        return distance
    return (
        distance + _one_way(found.correlations, found.variates_y, y.centred)
    ) / 2


def _one_way(rho: Tensor, variates: Tensor, features: Tensor) -> Tensor:
    projections = variates.T @ features  # [direction, feature], <h_i, x_j>
    a = projections.abs().sum(dim=1)
    return 1 - a @ rho / a.sum()


def _largest(basis: Basis, variance: int | float) -> Basis:
    share = (basis.S.square() / basis.centred.square().sum()).cumsum(dim=0)
    count = (
        int((share < variance).sum()) + 1
    )  # beyond the rank if rounding misses a share of 1
    return basis._replace(
        U=basis.U[:, :count], S=basis.S[:count], Vh=basis.Vh[:count]
    )


def _between_0_and_1(distance: Tensor) -> float:
    return float(distance.clamp(0, 1))
