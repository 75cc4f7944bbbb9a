"""Representations whose canonical correlations are known, and random ones."""

import math

import scipy.linalg
import torch
from torch import Tensor

# columns of length 1, mean zero, orthogonal to each other
E = torch.from_numpy(scipy.linalg.hadamard(8)[:, 1:] / math.sqrt(8)).double()
E1, E2, E3, E4 = E[:, 0], E[:, 1], E[:, 2], E[:, 3]


def columns(*each: Tensor) -> Tensor:
    return torch.stack(each, dim=1)


def draw(generator: torch.Generator, *shape: int) -> Tensor:
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def turn(generator: torch.Generator, size: int) -> Tensor:
    """A random orthogonal matrix."""
    return torch.linalg.qr(draw(generator, size, size)).Q


def related(generator: torch.Generator, samples: int, d_x: int, d_y: int) -> tuple[Tensor, Tensor]:
    """Two sides that share a noisy part, in features of unequal scale."""
    X = draw(generator, samples, d_x) * torch.arange(1, d_x + 1)
    Y = X @ draw(generator, d_x, d_y) + 7 * draw(generator, samples, d_y)
    return X, Y
