"""The distance of PWCCA with one step in another way: what the mistakes are made of."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

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
