"""How features lie in fewer dimensions: what they share, and which shapes they form.

The columns of W [dimensions, features] are the directions of the features. Where leading axes are
allowed they stand for instances.
"""

import math
from itertools import combinations, pairwise

import torch
from jaxtyping import Bool, Float, Int64
from scipy.optimize import linear_sum_assignment
from torch import Tensor

from bottomup.checks import check_axes, check_integer, check_number

PHASES = ("none", "first", "second", "antipodal", "aligned")


def interference(
    W: Float[Tensor, "*leading dimensions features"],
) -> Float[Tensor, "*leading features features"]:
    """Return ``W^T W``: squared lengths on the diagonal, W_i · W_j elsewhere.

    Entry i, j is what feature j adds to the output of feature i, before bias and ReLU.

    Source: Elhage et al. (2022), section "Demonstrating Superposition". Chapter 04 derives it.
    """
    check_axes("W", W, "... dimensions features")
    return W.mT @ W


def represented(
    W: Float[Tensor, "*leading dimensions features"],
    *,
    least: int | float = 0.5,
) -> Bool[Tensor, "*leading features"]:
    """Say which features are represented: those with ``|W_i| > least``.

    The bound is a convention. In a trained toy model most lengths lie near 0 or near 1.

    Used in chapter 04.
    """
    check_axes("W", W, "... dimensions features")
    check_number("least", least, at_least=0)
    return torch.linalg.vector_norm(W, dim=-2) > least


def feature_dimensions(
    W: Float[Tensor, "*leading dimensions features"],
) -> Float[Tensor, "*leading features"]:
    """Return how much of a dimension each feature has to itself.

    ``D_i = |W_i|^2 / sum_j (U_i · W_j)^2`` with ``U_i = W_i / |W_i|``

    The sum runs over all features, i among them, so 0 <= D_i <= 1. A feature alone in its
    direction has 1, one of an antipodal pair 1/2, one of a regular pentagon 2/5. A column of zeros
    has no direction: its D_i is defined as 0, since it takes up nothing; so is that of a column so
    short that the squares of its entries are 0 in the dtype of W. The D_i sum to at most the rank
    of W.

    Source: Elhage et al. (2022), section "The Geometry of Superposition". Chapter 04 derives it.
    """
    check_axes("W", W, "... dimensions features")
    lengths = torch.linalg.vector_norm(W, dim=-2)
    there = lengths > 0
    directions = W / torch.where(there, lengths, 1)[..., None, :]
    shared = (directions.mT @ W).square().sum(dim=-1)
    there = shared > 0  # squares of very small lengths may be zero, too
    return torch.where(
        there, lengths.square() / torch.where(there, shared, 1), 0
    )


def dimensions_per_feature(
    W: Float[Tensor, "*leading dimensions features"],
) -> Float[Tensor, "*leading"]:
    """Return ``D* = m / ||W||_F^2``: dimensions for each feature learned.

    The squared Frobenius norm is the sum of the squared lengths. Where these lie near 0 or 1 it
    counts the features that are represented.

    Source: Elhage et al. (2022), section "The Geometry of Superposition". Chapter 04 derives it.
    """
    dimensions = check_axes("W", W, "... dimensions features")["dimensions"]
    total = W.square().sum(dim=(-2, -1))
    if not bool((total > 0).all()):
        raise ValueError(
            "W: expected a feature that is represented, got zeros alone"
        )
    return dimensions / total


def antipodal_pairs(
    W: Float[Tensor, "dimensions features"], *, cosine: int | float = -0.9
) -> list[tuple[int, int]]:
    """Return the pairs (i, j), i < j, of represented features whose cosine lies below `cosine`.

    Used in chapter 04.
    """
    check_axes("W", W, "dimensions features")
    check_number("cosine", cosine, at_least=-1, at_most=0)
    there = represented(W).nonzero().flatten().tolist()
    directions = W / torch.linalg.vector_norm(W, dim=0).clamp(
        min=torch.finfo(W.dtype).tiny
    )
    cosines = directions.T @ directions
    return [(i, j) for i, j in combinations(there, 2) if cosines[i, j] < cosine]


def is_pentagon(
    W: Float[Tensor, "2 features"],
    *,
    degrees: int | float = 15,
    length: int | float = 0.3,
) -> bool:
    """Say whether the represented features form a pentagon, nearly a regular one.

    There are five; each length differs from 1 by at most `length`; and between neighbours the
    angle differs from 72 degrees by at most `degrees`.

    Used in chapter 04.
    """
    check_axes("W", W, "dimensions features", dimensions=2)
    check_number("degrees", degrees, at_least=0)
    check_number("length", length, at_least=0)
    corners = W[:, represented(W)]
    if corners.shape[1] != 5:
        return False
    lengths = torch.linalg.vector_norm(corners, dim=0)
    at = (
        torch.rad2deg(torch.atan2(corners[1], corners[0]))
        .sort()
        .values.tolist()
    )
    angles = [after - before for before, after in pairwise([*at, at[0] + 360])]
    near_one = bool(((lengths - 1).abs() <= length).all())
    return near_one and all(abs(angle - 72) <= degrees for angle in angles)


def two_feature_phase(
    W: Float[Tensor, "*leading 1 2"],
) -> Int64[Tensor, "*leading"]:
    """Return which of two features one dimension holds, as a place in `PHASES`.

    0: none; 1: the first alone; 2: the second alone; 3: both, in opposite directions; 4: both, in
    the same direction. A feature is held where `represented` says so.

    Source: Elhage et al. (2022), section "Superposition as a Phase Change". Used in chapter 04.
    """
    check_axes("W", W, "... dimensions features", dimensions=1, features=2)
    there = represented(W).long()
    phase = there[..., 0] + 2 * there[..., 1]
    same = W[..., 0, :].prod(dim=-1) > 0
    return torch.where((phase == 3) & same, 4, phase)


def expected_phase(importance: int | float, density: int | float) -> str:
    """Return which of three ideal solutions for two features in one dimension has the lowest loss.

    The first feature has importance 1, the second `importance` r; both are on with probability p,
    `density`, and then uniform in [0, 1]. A feature left out is guessed at its mean, which costs
    its variance ``p/3 - p^2/4``. Of the pair W = (1, -1) with b = 0, a feature alone comes out
    exact, and of two that are on each loses the smaller one, whose mean square is 1/6:

    - first alone: ``r (p/3 - p^2/4)``
    - second alone: ``p/3 - p^2/4``
    - antipodal: ``p^2 (1 + r) / 6``

    For r <= 1 the pair wins where ``p < 4 r / (2 + 5 r)``. Training may still do better than these
    three, by other lengths and biases.

    Source: Elhage et al. (2022), section "Superposition as a Phase Change", compare such
    solutions, with other losses; these are ours. Chapter 04 derives it.
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


def mean_max_cosine(
    learned: Float[Tensor, "dictionary d"], true: Float[Tensor, "features d"]
) -> float:
    """Return how well learned directions match true ones, from -1 to 1.

    ``max over matchings of mean over i of cos(true_i, learned_match(i))``

    Every true direction is matched with a learned one of its own, so that one learned direction
    cannot stand for two. More learned directions give more to choose from: compare with
    `random_mean_max_cosine` for the same number.

    Args:
        learned: one direction a row, at least as many as there are true ones.
        true: one direction a row.

    Source: Sharkey, Braun and Millidge (2022) take the mean of the largest cosines; that each
    learned direction counts once is ours. Used in chapter 04.
    """
    features, d = check_axes("true", true, "features d").values()
    count = check_axes("learned", learned, "dictionary d", d=d)["dictionary"]
    if count < features:
        raise ValueError(
            f"learned: expected at least {features} directions, got {count}"
        )
    cosines = _unit_rows("true", true) @ _unit_rows("learned", learned).T
    rows, columns = linear_sum_assignment(cosines.numpy(), maximize=True)
    return float(cosines[rows, columns].mean())


def random_mean_max_cosine(
    count: int,
    true: Float[Tensor, "features d"],
    *,
    draws: int = 20,
    seed: int = 0,
) -> float:
    """Return `mean_max_cosine` of random directions, the mean over several draws.

    Args:
        count: number of random directions, uniform on the sphere; at least that of the true ones.
        true: one direction a row.
        draws: how often to draw them.
        seed: fixes the draws.

    Used in chapter 04.
    """
    features, d = check_axes("true", true, "features d").values()
    check_integer("count", count, at_least=features)
    check_integer("draws", draws, at_least=1)
    check_integer("seed", seed, at_least=0)
    generator = torch.Generator().manual_seed(seed)
    found = [
        mean_max_cosine(
            torch.randn(count, d, generator=generator, dtype=true.dtype), true
        )
        for _ in range(draws)
    ]
    return math.fsum(found) / draws


def _unit_rows(name: str, directions: Tensor) -> Tensor:
    rows = directions.detach().cpu().double()
    lengths = torch.linalg.vector_norm(rows, dim=1, keepdim=True)
    if not bool(((lengths > 0) & lengths.isfinite()).all()):
        raise ValueError(
            f"{name}: expected finite directions, none of them zero"
        )
    return rows / lengths
