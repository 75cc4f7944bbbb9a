"""Exercise: whitening for canonical correlations (Morcos, Raghu and Bengio, 2018)."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.representation_analysis.whitening_mistakes import (
    CORRELATED,
    FEW,
    HAND,
    LARGE,
    MISCONCEPTIONS,
    OFFSET,
    SMALL,
    TINY,
    TWICE,
)
from bottomup.exercises.representation_analysis.whitening_parts import (
    compare,
    telling_a_short_mask,
    with_covariance,
)
from bottomup.i18n import _

STUB = '''\
def whiten(X):
    """An orthonormal basis of what the centred features span.

    X [sample, feature], float64. The mean of each feature is taken off.
    Directions whose singular value is at most 1e-5 of the largest one
    are dropped; the others are the rank.
    Returns U [sample, rank] with orthonormal columns: U.T @ U is the
    identity. Every such basis is right, whatever its order, signs or
    rotation.
    """
    ...
'''


def whiten(X: torch.Tensor) -> torch.Tensor:
    centred = X - X.mean(dim=0)
    U, S, _Vh = torch.linalg.svd(centred, full_matrices=False)
    return U[:, S / S[0] > 1e-5]


def by_dividing(X: Tensor) -> Tensor:
    centred = X - X.mean(0, keepdim=True)
    _U, S, Vh = torch.linalg.svd(centred, full_matrices=False)
    kept = S / S.max() > 1e-5
    return centred @ Vh[kept].T / S[kept]


def by_projection(X: Tensor) -> Tensor:
    """With the eigenvectors of the samples' products, [sample, sample]."""
    n = len(X)
    taken_off = torch.eye(n, dtype=X.dtype) - 1 / n
    values, vectors = torch.linalg.eigh(taken_off @ X @ X.T @ taken_off)
    return vectors[:, values > 1e-10 * values.max()]


def with_qr(X: Tensor) -> Tensor:
    """QR after the small directions have gone, then turned at random."""
    U, S, _Vh = torch.linalg.svd(X - X.mean(0), full_matrices=False)
    rank = int((S / S[0] > 1e-5).sum())
    mixed = torch.randn(rank, rank, dtype=X.dtype)
    return torch.linalg.qr(U[:, :rank] @ mixed).Q


def with_a_root(X: Tensor) -> Tensor:
    """ZCA, within the directions that are kept."""
    centred = X - torch.einsum("nd->d", X) / len(X)
    values, V = torch.linalg.eigh(centred.mT @ centred)
    reduced = centred @ V[:, values > 1e-10 * values[-1]]
    L, W = torch.linalg.eigh(reduced.mT @ reduced)
    return reduced @ W @ torch.diag(L**-0.5) @ W.T


Make = Callable[[torch.Generator], Inputs]


def _given(*rows: list[float]) -> Make:
    return lambda generator: {"X": torch.tensor(rows, dtype=torch.float64)}


def _draw(generator: torch.Generator, *shape: int) -> Tensor:
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def _random(samples: int, features: int, *, mean: float = 1.0, unit: float = 1.0) -> Make:
    """Features that correlate, of spreads that differ and with means of about `mean`."""

    def make(generator: torch.Generator) -> Inputs:
        mixed = _draw(generator, samples, features) @ _draw(generator, features, features)
        spread = torch.linspace(0.2, 3, features, dtype=torch.float64)
        return {"X": unit * (mixed * spread + mean * (1 + _draw(generator, features).abs()))}

    return make


def _spectrum(samples: int, sizes: list[float]) -> Make:
    """Features with these singular values, none of them along a direction."""

    def make(generator: torch.Generator) -> Inputs:
        drawn = _draw(generator, samples, len(sizes))
        U = torch.linalg.qr(drawn - drawn.mean(0)).Q
        V = torch.linalg.qr(_draw(generator, len(sizes), len(sizes))).Q
        S = torch.tensor(sizes, dtype=torch.float64)
        return {"X": U * S @ V.T + 0.5 * S[0]}

    return make


def _with(change: Callable[[Tensor], None], make: Make) -> Make:
    def changed(generator: torch.Generator) -> Inputs:
        inputs = make(generator)
        change(inputs["X"])
        return inputs

    return changed


def _repeat(X: Tensor) -> None:
    X[:, 2] = X[:, 0]


def _hold(X: Tensor) -> None:
    X[:, 1] = 2.0


CASES = (
    Case(HAND, _given([3, 1], [3, -1], [-1, 1], [-1, -1])),
    Case(CORRELATED, _given([1, 2], [2, 1], [3, 5], [6, 4], [8, 8])),
    Case(OFFSET, _random(11, 3, mean=50.0), seed=1),
    Case(TWICE, _with(_repeat, _random(7, 3)), seed=2),
    Case(_("a feature that does not vary"), _with(_hold, _random(11, 3)), seed=3),
    Case(TINY, _spectrum(13, [1.0, 1e-4, 1e-7]), seed=4),
    Case(SMALL, _random(11, 2, unit=1e-8), seed=5),
    Case(LARGE, _spectrum(17, [1e6, 300.0, 0.1]), seed=6),
    Case(FEW, _random(5, 7), seed=7),
    Case(_("twenty-three samples of seven features"), _random(23, 7), seed=8),
    Case(_("as many samples as features"), _random(7, 7), seed=9),
    Case(_("one feature"), _random(13, 1), seed=10),
)

WHITENING = Exercise(
    slug="whitening",
    title=_("Whitening for CCA"),
    chapter="08",
    difficulty=3,
    minutes=12,
    stub=STUB,
    hints=(
        _(
            "Two features x and 2x + 1 hold one direction. What is left of them once their means "
            "are off and their lengths are 1? The result should have one column."
        ),
        _(
            "`torch.linalg.svd(centred, full_matrices=False)` returns U, S, Vh with centred = "
            "U diag(S) Vh. The columns of U are orthonormal, and they are combinations of the "
            "features' columns."
        ),
        _(
            "S falls from the first to the last. `S / S[0] > 1e-5` says which columns of U are "
            "more than rounding noise: index with it along the second axis."
        ),
    ),
    solution=whiten,
    alternatives=(by_dividing, with_covariance(1e-10), by_projection, with_qr, with_a_root),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    run=telling_a_short_mask,
    compare=compare,
)
