"""SVCCA: canonical correlations of the directions that hold the variance."""

from jaxtyping import Float
from torch import Tensor

from bottomup.analysis.canonical_correlation import Basis, bases, correlate
from bottomup.checks import check_number


def svcca_distance(
    X: Float[Tensor, "sample d_x"],
    Y: Float[Tensor, "sample d_y"],
    *,
    variance: int | float = 0.99,
    tolerance: int | float = 1e-5,
    few_samples: str = "refuse",
) -> float:
    """Return the mean CCA distance between the large directions, from 0 to 1.

    ``1 - 1/c sum_i rho_i`` over the first k_x singular directions of X and the
    first k_y of Y, ``c = min(k_x, k_y)``,
    ``k_x = min k: sum_{i <= k} s_i^2 >= variance sum_i s_i^2``

    It drops what `mean_cca_distance` counts in full. In return it depends on
    scale: an orthogonal map, a shift or one common factor leave it, and other
    invertible maps need not.

    `variance` is above 0 and at most 1; all other arguments are those of `cca`.
    The samples are counted against all features, also those dropped.

    Source: Raghu et al. (2017). Chapter 08 derives it.
    """
    check_number("variance", variance, above=0, at_most=1)
    x, y = bases(X, Y, tolerance, few_samples)
    rho = correlate(_largest(x, variance), _largest(y, variance)).correlations
    return float((1 - rho.mean()).clamp(0, 1))


def _largest(basis: Basis, variance: int | float) -> Basis:
    """Cut a basis to the first directions that hold so much variance."""
    share = basis.S.square() / basis.centred.square().sum()  # [rank]
    # Rounding may miss a share of 1: then k lies beyond the rank, and all stay.
    k = int((share.cumsum(dim=0) < variance).sum()) + 1
    return Basis(basis.centred, basis.U[:, :k], basis.S[:k], basis.Vh[:k])
