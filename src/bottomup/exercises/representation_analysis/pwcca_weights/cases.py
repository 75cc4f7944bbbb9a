"""Cases of the weighted distance of PWCCA."""

import torch
from torch import Tensor

from bottomup.exercises.engine import Case, Drawn, Inputs, case, tensor
from bottomup.exercises.representation_analysis.named_numbers import compare_number
from bottomup.exercises.representation_analysis.signs import orthonormal, turned
from bottomup.i18n import _

compare = compare_number

# ---- By hand: what four samples can hold besides their mean is three directions

DIRECTIONS = ((0.5, 0.5, -0.5, -0.5), (0.5, -0.5, 0.5, -0.5), (0.5, -0.5, -0.5, 0.5))


def along(*columns: tuple[float, float, float]) -> Drawn:
    """Columns by their parts along the three directions."""
    directions = torch.tensor(DIRECTIONS, dtype=torch.float64)
    return tensor(columns, dtype=torch.float64).then(lambda parts: (parts @ directions).T)


# Y has the first direction of X, and of the second one the correlation 0.6
BASIS_X = along((1, 0, 0), (0, 1, 0))
BASIS_Y = along((1, 0, 0), (0, 0.6, 0.8))


# ---- Drawn: Y holds a part of X and something of its own


def drawn(
    name: str, samples: int, d_x: int, d_y: int, *, seed: int, rank: int = 0, unit: float = 1.0
) -> Case:
    """Features of sizes that differ, X with `rank` directions, or as many as features."""

    def make(generator: torch.Generator) -> Inputs:
        r_x = rank or d_x
        held = randn(generator, samples, r_x)
        sizes = torch.logspace(0, 1, d_x, dtype=torch.float64)
        X = held @ randn(generator, r_x, d_x) * sizes * unit
        Y = held @ randn(generator, r_x, d_y) + 1.5 * randn(generator, samples, d_y)
        X, Y = X - X.mean(0), Y - Y.mean(0)
        return {"X": X, "U_x": basis(X, r_x, generator), "U_y": basis(Y, d_y, generator)}

    return Case(name, make, seed)


def basis(features: Tensor, rank: int, generator: torch.Generator) -> Tensor:
    """A basis that is turned at random: which one it is must not matter."""
    U = turned(torch.linalg.svd(features, full_matrices=False).U[:, :rank])
    return U @ orthonormal(randn(generator, rank, rank))


def randn(generator: torch.Generator, *shape: int) -> Tensor:
    return torch.randn(shape, generator=generator, dtype=torch.float64)


WITHOUT = {"a batch of one": "one sample does not vary"}

CASES = (
    case(
        _("the direction that both have is the large one"),
        X=along((3, 0, 0), (0, 1, 0)),
        U_x=BASIS_X,
        U_y=BASIS_Y,
        gives=0.4 * 1 / 4,  # the second direction's share, times 1 - 0.6
    ),
    case(
        _("the direction that both have is the small one"),
        X=along((1, 0, 0), (0, 3, 0)),
        U_x=BASIS_X,
        U_y=BASIS_Y,
        gives=0.4 * 3 / 4,
    ),
    case(
        _("two features along one direction, with opposite signs"),
        X=along((2, 0, 0), (-2, 1, 0)),
        U_x=BASIS_X,
        U_y=BASIS_Y,
        gives=0.4 * 1 / 5,
    ),
    case(
        _("three features of both directions"),
        X=along((1, 0, 0), (2, -1, 0), (1, 3, 0)),
        U_x=BASIS_X,
        U_y=BASIS_Y,
        gives=0.4 * 4 / 8,
    ),
    case(
        _("a basis that lies between the directions"),
        X=along((3, 0, 0), (0, 1, 0)),
        U_x=along((0.6, 0.8, 0), (-0.8, 0.6, 0)),
        U_y=BASIS_Y,
        gives=0.4 * 1 / 4,
    ),
    drawn(_("as many directions on both sides"), 41, 5, 5, seed=1),
    drawn(_("more directions in Y than in X"), 43, 3, 7, seed=2),
    drawn(_("more directions in X than in Y"), 37, 7, 3, seed=3),
    drawn(_("more features than directions"), 31, 7, 5, seed=4, rank=3),
    drawn(_("more features than directions, and fewer in Y"), 47, 11, 2, seed=5, rank=5),
    drawn(_("features in a small unit"), 29, 3, 3, seed=6, unit=1e-6),
    drawn(_("features in a large unit"), 29, 3, 5, seed=7, unit=1e5),
    drawn(_("one direction each"), 13, 1, 1, seed=8),
    drawn(_("one direction in Y"), 17, 5, 1, seed=9),
)
