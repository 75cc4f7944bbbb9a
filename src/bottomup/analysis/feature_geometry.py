"""How features lie in fewer dimensions: what they share, what shapes they form.

The columns of W [dimensions, features] are the directions of the features.
Leading axes, where allowed, stand for instances.
"""

import math
from itertools import combinations, pairwise

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from bottomup.checks import (
    check_integer,
    check_number,
    checked,
    is_traced,
)
from bottomup.precision import in_float32

PHASES = ("none", "first", "second", "antipodal", "aligned")


@checked
def interference(
    W: Float[Tensor, "*leading dimensions features"],
) -> Float[Tensor, "*leading features features"]:
    """Return ``W^T W``: squared lengths on the diagonal, W_i · W_j elsewhere.

    Entry i, j is what feature j adds to the output of feature i, before bias
    and ReLU.

    Source: Elhage et al. (2022), section "Demonstrating Superposition". Chapter
    04 derives it.
    """
    return W.mT @ W


@checked
def represented(
    W: Float[Tensor, "*leading dimensions features"],
    *,
    least: int | float = 0.5,
) -> Bool[Tensor, "*leading features"]:
    """Say which features are represented: those with ``|W_i| > least``.

    The bound is a convention. In a trained toy model most lengths lie near 0 or
    near 1.

    Used in chapter 04.

    Example:
        >>> W = torch.tensor([[1.0, 0.1, 0.0], [0.0, 0.1, 0.9]])
        >>> represented(W)
        tensor([ True, False,  True])
    """
    check_number("least", least, at_least=0)
    return torch.linalg.vector_norm(W, dim=-2) > least


@checked
@in_float32
def feature_dimensions(
    W: Float[Tensor, "*leading dimensions features"],
) -> Float[Tensor, "*leading features"]:
    """Return how much of a dimension each feature has to itself.

    ``D_i = |W_i|^2 / sum_j (U_i · W_j)^2`` with ``U_i = W_i / |W_i|``

    The sum runs over all features, i among them, so 0 <= D_i <= 1. A feature
    alone in its direction has 1, one of an antipodal pair 1/2, one of a regular
    pentagon 2/5. A column of zeros has no direction: its D_i is defined as 0,
    since it takes up nothing; so is that of a column so short that the squares
    of its entries are 0 in the dtype of W. The D_i sum to at most the rank of
    W.

    Source: Elhage et al. (2022), section "The Geometry of Superposition".
    Chapter 04 derives it.
    """
    lengths = torch.linalg.vector_norm(W, dim=-2)  # |W_i| [..., features]
    U = W / torch.where(lengths > 0, lengths, 1)[..., None, :]
    shared = (U.mT @ W).square().sum(dim=-1)  # [..., features]
    there = shared > 0  # squares of very small lengths may be zero, too
    D = lengths.square() / torch.where(there, shared, 1)
    return torch.where(there, D, 0)


@checked
@in_float32
def dimensions_per_feature(
    W: Float[Tensor, "*leading dimensions features"],
) -> Float[Tensor, "*leading"]:
    """Return ``D* = m / ||W||_F^2``: dimensions for each feature learned.

    The squared Frobenius norm is the sum of the squared lengths. Where these
    lie near 0 or 1 it counts the features that are represented.

    Source: Elhage et al. (2022), section "The Geometry of Superposition".
    Chapter 04 derives it.
    """
    total = W.square().sum(dim=(-2, -1))
    if not is_traced() and not (total > 0).all():
        raise ValueError(
            "W: expected a feature that is represented, got zeros alone"
        )
    return W.shape[-2] / total


@checked
def antipodal_pairs(
    W: Float[Tensor, "dimensions features"], *, cosine: int | float = -0.9
) -> list[tuple[int, int]]:
    """Return the pairs i < j of represented features with a cosine below one.

    Args:
        W: the features.
        cosine: the bound, from -1 to 0.

    Used in chapter 04.
    """
    check_number("cosine", cosine, at_least=-1, at_most=0)
    there = represented(W).nonzero().flatten().tolist()
    lengths = torch.linalg.vector_norm(W, dim=0)
    U = W / lengths.clamp(min=torch.finfo(W.dtype).tiny)
    cosines = U.T @ U  # [features, features]
    return [(i, j) for i, j in combinations(there, 2) if cosines[i, j] < cosine]


@checked
def is_pentagon(
    W: Float[Tensor, "2 features"],
    *,
    degrees: int | float = 15,
    length: int | float = 0.3,
) -> bool:
    """Say whether the represented features form a nearly regular pentagon.

    There are five; each length differs from 1 by at most `length`; and between
    neighbours the angle differs from 72 degrees by at most `degrees`.

    Used in chapter 04.
    """
    check_number("degrees", degrees, at_least=0)
    check_number("length", length, at_least=0)
    corners = W[:, represented(W)]  # [2, corner]
    if corners.shape[1] != 5:
        return False
    lengths = torch.linalg.vector_norm(corners, dim=0)
    radians = torch.atan2(corners[1], corners[0])
    at = torch.rad2deg(radians).sort().values.tolist()
    angles = [after - before for before, after in pairwise([*at, at[0] + 360])]
    near_one = bool(((lengths - 1).abs() <= length).all())
    return near_one and all(abs(angle - 72) <= degrees for angle in angles)


@checked
def two_feature_phase(
    W: Float[Tensor, "*leading 1 2"],
) -> Int64[Tensor, "*leading"]:
    """Return which of two features one dimension holds, a place in `PHASES`.

    0: none; 1: the first alone; 2: the second alone; 3: both, in opposite
    directions; 4: both, in the same direction. A feature is held where
    `represented` says so.

    Source: Elhage et al. (2022), section "Superposition as a Phase Change".
    Used in chapter 04.
    """
    there = represented(W).long()
    phase = there[..., 0] + 2 * there[..., 1]
    same = W[..., 0, :].prod(dim=-1) > 0
    return torch.where((phase == 3) & same, 4, phase)


def expected_phase(importance: int | float, density: int | float) -> str:
    """Return which ideal solution for two features in one dimension is best.

    The first feature has importance 1, the second `importance` r; both are on
    with probability p, `density`, and then uniform in [0, 1]. A feature left
    out is guessed at its mean, which costs its variance ``p/3 - p^2/4``. Of the
    pair W = (1, -1) with b = 0, a feature alone comes out exact, and of two
    that are on each loses the smaller one, whose mean square is 1/6:

    - first alone: ``r (p/3 - p^2/4)``
    - second alone: ``p/3 - p^2/4``
    - antipodal: ``p^2 (1 + r) / 6``

    For r <= 1 the pair wins where ``p < 4 r / (2 + 5 r)``. Training may still
    do better than these three, by other lengths and biases.

    Source: Elhage et al. (2022), section "Superposition as a Phase Change",
    compare such solutions, with other losses; these are ours. Chapter 04
    derives it.
    """
    check_number("importance", importance, above=0, below=math.inf)
    check_number("density", density, above=0, at_most=1)
    variance = density / 3 - density**2 / 4
    losses = {
        "first": importance * variance,
        "second": variance,
        "antipodal": density**2 * (1 + importance) / 6,
    }
    return min(losses, key=losses.__getitem__)


@checked
def mean_max_cosine(
    learned: Float[Tensor, "dictionary d"], true: Float[Tensor, "features d"]
) -> float:
    """Return how well learned directions match true ones, from -1 to 1.

    ``max over matchings of mean over i of cos(true_i, learned_match(i))``

    Every true direction is matched with a learned one of its own, so that one
    learned direction cannot stand for two. More learned directions give more to
    choose from: compare with `random_mean_max_cosine` for the same number.

    Args:
        learned: one direction a row, at least as many as there are true ones.
        true: one direction a row.

    Source: Sharkey, Braun and Millidge (2022) take the mean of the largest
    cosines; that each learned direction counts once is ours. Used in chapter
    04.
    """
    if len(learned) < len(true):
        raise ValueError(
            f"learned: expected at least {len(true)} directions, got "
            f"{len(learned)}"
        )
    cosines = _unit_rows("true", true) @ _unit_rows("learned", learned).T
    from scipy.optimize import linear_sum_assignment  # needed here alone

    rows, columns = linear_sum_assignment(cosines.numpy(), maximize=True)
    return float(cosines[rows, columns].mean())


@checked
def random_mean_max_cosine(
    count: int,
    true: Float[Tensor, "features d"],
    *,
    draws: int = 20,
    seed: int = 0,
) -> float:
    """Return `mean_max_cosine` of random directions, the mean of some draws.

    Args:
        count: number of random directions, uniform on the sphere; at least that
            of the true ones.
        true: one direction a row.
        draws: how often to draw them.
        seed: fixes the draws.

    Used in chapter 04.
    """
    check_integer("count", count, at_least=len(true))
    check_integer("draws", draws, at_least=1)
    check_integer("seed", seed, at_least=0, below=2**63)
    generator = torch.Generator().manual_seed(int(seed))
    shape, dtype = (count, true.shape[1]), true.dtype
    values = []
    for _ in range(draws):
        random = torch.randn(shape, generator=generator, dtype=dtype)
        values.append(mean_max_cosine(random.to(true.device), true))
    return math.fsum(values) / draws


def _unit_rows(name: str, directions: Tensor) -> Tensor:
    rows = directions.detach().cpu().double()
    lengths = torch.linalg.vector_norm(rows, dim=1, keepdim=True)
    if not bool(((lengths > 0) & lengths.isfinite()).all()):
        raise ValueError(
            f"{name}: expected finite directions, none of them zero"
        )
    return rows / lengths
