"""Exercise: the weighted distance of PWCCA (Morcos, Raghu and Bengio, 2018)."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.representation_analysis.named_numbers import compare_number
from bottomup.i18n import _


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


# ---- One step in another way: what the mistakes are made of

Answer = Callable[[Tensor, Tensor, Tensor], Tensor]


class Found(NamedTuple):
    """What an answer has at hand: its arguments and ``U_x^T U_y = A diag(rho) B^T``."""

    X: Tensor
    U_x: Tensor
    U_y: Tensor
    A: Tensor
    rho: Tensor
    B: Tensor

    @property
    def h(self) -> Tensor:
        """The variates of X, [sample, direction]."""
        return self.U_x @ self.A

    @property
    def h_y(self) -> Tensor:
        """The variates of Y, [sample, direction]."""
        return self.U_y @ self.B


Weights = Callable[[Found], Tensor]  # -> a_i, not yet divided by their sum
Norm = Callable[[Tensor], Tensor]
Distance = Callable[[Tensor, Tensor], Tensor]  # a, rho -> the result


def projections(found: Found) -> Tensor:
    return found.h.T @ found.X  # [direction, feature]


def right_weights(found: Found) -> Tensor:
    return projections(found).abs().sum(1)


def to_one(a: Tensor) -> Tensor:
    return a / a.sum()


def one_minus(a: Tensor, rho: Tensor) -> Tensor:
    return 1 - (a * rho).sum()


def distance(
    weights: Weights = right_weights, norm: Norm = to_one, value: Distance = one_minus
) -> Answer:
    """Right but for the weights, what they are divided by, or what is made of them."""

    def answer(X: Tensor, U_x: Tensor, U_y: Tensor) -> Tensor:
        A, rho, Bh = torch.linalg.svd(U_x.T @ U_y, full_matrices=False)
        found = Found(X, U_x, U_y, A, rho, Bh.T)
        return value(norm(weights(found)), rho)

    return answer


def summed(table: Callable[[Found], Tensor]) -> Weights:
    """Another table of [direction, something], summed as it should be."""
    return lambda found: table(found).abs().sum(1)


def as_many_as_pairs(table: Callable[[Found], Tensor]) -> Weights:
    """The same, and the rows that no correlation is there for left out."""
    return lambda found: table(found).abs().sum(1)[: len(found.rho)]


def as_many_as_pairs_of_all(X: Tensor, U_x: Tensor, U_y: Tensor) -> Tensor:
    """The basis's own columns, their weights made to sum to one before any is left out."""
    rho = torch.linalg.svdvals(U_x.T @ U_y)
    a = to_one((U_x.T @ X).abs().sum(1))
    return 1 - (a[: len(rho)] * rho).sum()


def reduced(reduce: Norm) -> Weights:
    """The right table [direction, feature], turned into weights in another way."""
    return lambda found: reduce(projections(found))


def with_features(change: Norm) -> Weights:
    return lambda found: (found.h.T @ change(found.X)).abs().sum(1)


def all_directions(X: Tensor, U_x: Tensor, U_y: Tensor) -> Tensor:
    """Also the directions of X without a partner, with a correlation of zero."""
    A, rho, _Bh = torch.linalg.svd(U_x.T @ U_y, full_matrices=True)
    a = to_one((U_x @ A).T.matmul(X).abs().sum(1))
    return 1 - (a[: len(rho)] * rho).sum()


# ---- Mistakes: what is projected on what, how it is summed, and what is returned

HAND = _("the direction that both have is the large one")
WEAK = _("the direction that both have is the small one")
TURNED = _("a basis that lies between the directions")
SIGNS = _("two features along one direction, with opposite signs")
FEWER = _("more directions in X than in Y")


def _named(slug: str, *answers: Answer, case: str = "") -> Mistake:
    wrong, *variants = answers
    return Mistake(slug, wrong, tuple(variants), case)


PROJECTIONS = (
    _named(
        "other-branch",
        distance(summed(lambda found: found.h_y.T @ found.X)),
        distance(summed(lambda found: found.h.T @ found.U_y)),
        distance(summed(lambda found: found.h_y.T @ found.U_y)),
        case=HAND,
    ),
    _named(
        "whitened-for-features", distance(summed(lambda found: found.h.T @ found.U_x)), case=HAND
    ),
    _named(
        "not-rotated",
        distance(summed(lambda found: found.U_x.T @ found.X)),
        distance(summed(lambda found: found.U_x.T @ found.X), value=lambda a, rho: 1 - a @ rho),
        distance(as_many_as_pairs(lambda found: found.U_x.T @ found.X)),
        as_many_as_pairs_of_all,
        case=TURNED,
    ),
    _named(
        "turned-the-wrong-way", distance(summed(lambda found: (found.U_x @ found.A.T).T @ found.X))
    ),
    _named(
        "other-side-s-directions",
        distance(summed(lambda found: (found.U_x @ found.B).T @ found.X)),
        distance(summed(lambda found: (found.U_x @ found.B.T).T @ found.X)),
    ),
    _named(
        "variates-without-whitening",
        distance(summed(lambda found: (found.X @ found.A).T @ found.X)),
        distance(summed(lambda found: (found.X @ found.A).T @ found.U_x)),
    ),
    _named("features-made-unit", distance(with_features(lambda X: X / X.norm(dim=0))), case=HAND),
)

SUMS = (
    _named(
        "weights-not-normalised",
        distance(norm=lambda a: a),
        distance(norm=lambda a: a / len(a)),
        distance(reduced(lambda table: table.abs().mean(1)), norm=lambda a: a),
        case=HAND,
    ),
    _named(
        "another-divisor",
        distance(norm=lambda a: a / a.norm()),
        distance(norm=lambda a: a / a.max()),
        case=HAND,
    ),
    _named(
        "signs-cancel",
        distance(reduced(lambda table: table.sum(1).abs())),
        distance(reduced(lambda table: table.sum(1))),
        distance(reduced(lambda table: table.sum(1)), norm=lambda a: a / a.abs().sum()),
        case=SIGNS,
    ),
    _named(
        "squares-summed",
        distance(reduced(lambda table: table.square().sum(1))),
        case=HAND,
    ),
    _named("root-of-the-squares", distance(reduced(lambda table: table.norm(dim=1))), case=SIGNS),
    _named(
        "summed-over-directions",
        distance(reduced(lambda table: table.abs().sum(0))),
        distance(reduced(lambda table: table.abs().sum(0)), value=lambda a, rho: 1 - a @ rho),
        distance(reduced(lambda table: table.square().sum(0))),
    ),
    _named("directions-without-a-partner", all_directions, case=FEWER),
)

RESULTS = (
    _named("one-minus-missing", distance(value=lambda a, rho: (a * rho).sum()), case=HAND),
    _named("plain-mean", distance(value=lambda a, rho: 1 - rho.mean()), case=HAND),
    _named(
        "weighted-by-correlations",
        distance(value=lambda a, rho: 1 - (rho * rho).sum() / rho.sum()),
        case=HAND,
    ),
    _named(
        "correlations-squared",
        distance(value=lambda a, rho: 1 - (a * rho * rho).sum()),
        distance(value=lambda a, rho: 1 - (a * rho * rho).sum().sqrt()),
        case=HAND,
    ),
)

MISTAKES = (*PROJECTIONS, *SUMS, *RESULTS)


# ---- Cases

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

ANSWERS = Answers(
    solution=pwcca,
    alternatives=(with_means, with_loops, with_eigenvectors, through_y),
    mistakes=MISTAKES,
    cases=CASES,
    compare=compare_number,
)
