"""PWCCA: canonical correlations, weighed by their part in the features of X."""

import torch
from jaxtyping import Float, Float64
from torch import Tensor

from bottomup.analysis.canonical_correlation import Basis, bases, correlate
from bottomup.analysis.samples import permutation
from bottomup.checks import check_choice, check_integer


def pwcca_distance(
    X: Float[Tensor, "sample d_x"],
    Y: Float[Tensor, "sample d_y"],
    *,
    symmetric: bool = False,
    tolerance: int | float = 1e-5,
    few_samples: str = "refuse",
) -> float:
    """Return the projection-weighted CCA distance of Y from X, from 0 to 1.

    ``1 - sum_i a_i rho_i``,
    ``a_i = sum_j |<h_i, x_j>| / sum_k sum_j |<h_k, x_j>|``

    h_i is the i-th canonical variate of X, of length 1, and x_j the feature j
    of X, centred: both are vectors over the samples. A direction counts by how
    much of X's features it makes up, as they are before whitening.

    What leaves the distance: any invertible affine map of Y (as far as
    `tolerance` allows), a shift and a common factor of X. What does not: a
    rotation of X, since the weights depend on which features X is written in.
    So it is asymmetric. The average of both directions, ``symmetric=True``, is
    our choice and what chapter 08 reports; then a rotation of Y matters too.

    With more directions in X than in Y, only those that have a partner in Y are
    weighed: the distance is 0 if Y spans a part of X. Where correlations are
    exactly equal, neither their directions nor the weights are unique: so for
    several correlations of 1, as where X and Y share features, or where there
    are fewer samples than features of both sides together.

    The sample-size trap: for independent Gaussian data of width 64 the distance
    is 0 at 65 samples, .36 at 128, .73 at 640 and .92 at 6400. Compare with
    `shuffled_pwcca`.

    Args:
        X: a row for each sample; its features set the weights.
        Y: the same samples in the same order.
        symmetric: whether to average the distance with that of X from Y.
        tolerance, few_samples: as for `cca`.

    Source: Morcos, Raghu and Bengio (2018). Chapter 08 derives it.

    Example:
        >>> X = torch.randn(300, 3)
        >>> turned = X @ torch.randn(3, 3)  # a map changes nothing
        >>> abs(pwcca_distance(X, turned)) < 1e-6
        True
    """
    check_choice("symmetric", symmetric, (False, True))
    return _distance(*bases(X, Y, tolerance, few_samples), symmetric)


def _distance(x: Basis, y: Basis, symmetric: bool) -> float:
    shared = correlate(x, y)
    rho = shared.correlations
    distance = _seen_from(x, shared.variates_x, rho)
    if symmetric:
        distance = (distance + _seen_from(y, shared.variates_y, rho)) / 2
    return float(distance.clamp(0, 1))


def _seen_from(x: Basis, h: Tensor, rho: Tensor) -> Tensor:
    projections = h.T @ x.centred  # <h_i, x_j> [direction, feature]
    a = projections.abs().sum(dim=1)  # [direction], not yet divided by its sum
    return 1 - a @ rho / a.sum()


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
    """Return the PWCCA distance after the rows of Y are permuted.

    This keeps the features of both sides and the number of samples, and breaks
    only the tie between the two. It is the value for unrelated data: a distance
    says that X and Y share something where it lies below these, which lie on
    the CPU. `generator` gives as many permutations as there are `draws`; all
    other arguments are those of `pwcca_distance`.

    Source: ours. Chapter 08 uses it.
    """
    check_integer("draws", draws, at_least=1)
    check_choice("symmetric", symmetric, (False, True))
    x, y = bases(X, Y, tolerance, few_samples)
    distances = []
    for _draw in range(draws):
        order = permutation(len(X), generator).to(y.U.device)
        shuffled = y._replace(centred=y.centred[order], U=y.U[order])
        distances.append(_distance(x, shuffled, symmetric))
    return torch.tensor(distances, dtype=torch.float64)
