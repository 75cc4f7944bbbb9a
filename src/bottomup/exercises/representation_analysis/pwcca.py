"""Exercise: the weighted distance of PWCCA (Morcos, Raghu and Bengio, 2018)."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.representation_analysis.one_number import compare_number
from bottomup.exercises.representation_analysis.pwcca_mistakes import (
    FEWER,
    HAND,
    MISCONCEPTIONS,
    SIGNS,
    TURNED,
    WEAK,
)
from bottomup.i18n import _

STUB = '''\
def pwcca(X, U_x, U_y):
    """The projection-weighted CCA distance of Y from X.

    X [sample, d_x], float64: the centred features of one network.
    U_x [sample, r_x]: an orthonormal basis of what they span, and
    U_y [sample, r_y]: one of the other network's centred features.
    With U_x^T U_y = A diag(rho) B^T there are c = min(r_x, r_y) pairs of
    directions, and h_i = (U_x A)_i is the variate of X in the i-th one.
    a_i = sum_j |h_i . x_j|, x_j the j-th feature of X, divided by
    sum_k a_k over the c directions.
    Returns 1 - sum_i a_i rho_i, a number or a tensor without axes.
    """
    ...
'''


def pwcca(X: torch.Tensor, U_x: torch.Tensor, U_y: torch.Tensor) -> float:
    A, rho, _Bh = torch.linalg.svd(U_x.T @ U_y, full_matrices=False)
    h = U_x @ A  # [sample, direction]
    a = (h.T @ X).abs().sum(dim=1)
    return float(1 - (a * rho).sum() / a.sum())


def with_means(X: Tensor, U_x: Tensor, U_y: Tensor) -> Tensor:
    A, rho, _Bh = torch.linalg.svd(torch.einsum("nx,ny->xy", U_x, U_y), full_matrices=False)
    a = torch.einsum("nx,xi,nj->ij", U_x, A, X).abs().mean(1)
    return torch.sum(a * (1 - rho)) / torch.sum(a)


def with_loops(X: Tensor, U_x: Tensor, U_y: Tensor) -> float:
    A, rho, _Bh = torch.linalg.svd(U_x.T @ U_y)
    weights = []
    for i in range(len(rho)):
        h = sum(U_x[:, k] * A[k, i] for k in range(U_x.shape[1]))
        weights.append(sum(abs(float(h @ feature)) for feature in X.T))
    shared = sum(weight * float(r) for weight, r in zip(weights, rho, strict=True))
    return 1 - shared / sum(weights)


def with_eigenvectors(X: Tensor, U_x: Tensor, U_y: Tensor) -> Tensor:
    M = U_x.mT @ U_y
    values, vectors = torch.linalg.eigh(M @ M.mT)
    pairs = min(M.shape)
    rho = values[-pairs:].clamp(min=0).sqrt()
    a = torch.linalg.vector_norm(X.mT @ U_x @ vectors[:, -pairs:], ord=1, dim=0)
    return 1 - torch.dot(a / a.sum(), rho)


def through_y(X: Tensor, U_x: Tensor, U_y: Tensor) -> Tensor:
    """The variates of X as what is left of Y's inside X, over rho."""
    B, rho, _Ah = torch.linalg.svd(U_y.T @ U_x, full_matrices=False)
    h = U_x @ (U_x.T @ (U_y @ B)) / rho
    a = (X.T @ h).abs().sum(0)
    a = a / a.sum()
    return 1 - (a * rho).sum()


Make = Callable[[torch.Generator], Inputs]

# an orthonormal basis of what four samples can hold besides their mean
FIRST, SECOND, THIRD = (0.5, 0.5, -0.5, -0.5), (0.5, -0.5, 0.5, -0.5), (0.5, -0.5, -0.5, 0.5)


def _columns(*columns: tuple[float, ...]) -> Tensor:
    return torch.tensor(columns, dtype=torch.float64).T.contiguous()


def _hand(features: Callable[[Tensor, Tensor], list[Tensor]], *, turned: bool = False) -> Make:
    """Y has the first direction of X, and of the second one the correlation 0.6.

    The basis U_x holds these two directions or, `turned`, two that lie between them.
    """

    def make(generator: torch.Generator) -> Inputs:
        U_x, other = _columns(FIRST, SECOND), _columns(THIRD)[:, 0]
        first, second = U_x.unbind(1)
        if turned:
            U_x = U_x @ torch.tensor([[0.6, -0.8], [0.8, 0.6]], dtype=torch.float64)
        return {
            "X": torch.stack(features(first, second), dim=1),
            "U_x": U_x,
            "U_y": torch.stack([first, 0.6 * second + 0.8 * other], dim=1),
        }

    return make


def _draw(generator: torch.Generator, *shape: int) -> Tensor:
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def _basis(features: Tensor, rank: int, generator: torch.Generator) -> Tensor:
    """A basis that is turned at random: which one it is must not matter."""
    U = torch.linalg.svd(features, full_matrices=False).U[:, :rank]
    return U @ torch.linalg.qr(_draw(generator, rank, rank)).Q


def _random(samples: int, d_x: int, d_y: int, *, rank: int | None = None, unit: float = 1) -> Make:
    """Features of sizes that differ; Y holds a part of X and something of its own."""

    def make(generator: torch.Generator) -> Inputs:
        r_x = rank or d_x
        held = _draw(generator, samples, r_x)
        sizes = torch.logspace(0, 1, d_x, dtype=torch.float64)
        X = held @ _draw(generator, r_x, d_x) * sizes * unit
        Y = held @ _draw(generator, r_x, d_y) + 1.5 * _draw(generator, samples, d_y)
        X, Y = X - X.mean(0), Y - Y.mean(0)
        return {"X": X, "U_x": _basis(X, r_x, generator), "U_y": _basis(Y, d_y, generator)}

    return make


CASES = (
    Case(HAND, _hand(lambda first, second: [3 * first, second])),
    Case(WEAK, _hand(lambda first, second: [first, 3 * second])),
    Case(SIGNS, _hand(lambda first, second: [2 * first, -2 * first + second])),
    Case(_("three features of both directions"),
         _hand(lambda first, second: [first, 2 * first - second, first + 3 * second])),
    Case(TURNED, _hand(lambda first, second: [3 * first, second], turned=True)),
    Case(_("as many directions on both sides"), _random(41, 5, 5), seed=1),
    Case(_("more directions in Y than in X"), _random(43, 3, 7), seed=2),
    Case(FEWER, _random(37, 7, 3), seed=3),
    Case(_("more features than directions"), _random(31, 7, 5, rank=3), seed=4),
    Case(_("more features than directions, and fewer in Y"), _random(47, 11, 2, rank=5), seed=5),
    Case(_("features in a small unit"), _random(29, 3, 3, unit=1e-6), seed=6),
    Case(_("features in a large unit"), _random(29, 3, 5, unit=1e5), seed=7),
    Case(_("one direction each"), _random(13, 1, 1), seed=8),
    Case(_("one direction in Y"), _random(17, 5, 1), seed=9),
)  # fmt: skip

PWCCA_WEIGHTS = Exercise(
    slug="pwcca-weights",
    title=_("The weights of PWCCA"),
    chapter="08",
    difficulty=3,
    minutes=15,
    stub=STUB,
    hints=(
        _(
            "Let X have two features along two directions, three times as long in the first, and "
            "let the correlations be 1 and 0.6. Which share of X does each direction make up, and "
            "what is the mean of the correlations with these shares?"
        ),
        _(
            "`A, rho, Bh = torch.linalg.svd(U_x.T @ U_y, full_matrices=False)`. The variates of X "
            "are the columns of `U_x @ A`: one number for each sample, like a feature."
        ),
        _(
            "`h.T @ X` is [direction, feature] and holds every product. Take absolute values, sum "
            "over the features, and divide by the sum of all: a weight for each direction, which "
            "together make one."
        ),
    ),
    solution=pwcca,
    alternatives=(with_means, with_loops, with_eigenvectors, through_y),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    compare=compare_number,
)
