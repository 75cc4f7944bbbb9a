"""Self-attentions to be tested for leaks: some read the future, each in its own way."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import torch
from torch import Tensor

POSITIONS, WIDTH = 12, 4
NOISE = 1e-14
LOUD = 2  # times the values: a plain leak moves an output by more than a loose tolerance
FAVOUR = 8.0  # added to the score of a single leaky pair, which else gets hardly any weight

Step = Callable[[Tensor], Tensor]


def _as_it_is(x: Tensor) -> Tensor:
    return x


@dataclass(frozen=True)
class SelfAttention:
    """A self-attention with fixed parameters: x [n, 4] -> output [n, 4], n up to 12.

    Args:
        bias: added to the scores, [query, key]: 0 where a query may read a key, else -inf.
        before: applied to the tokens before they are projected.
        after: applied to the output.
    """

    bias: Tensor
    before: Step = _as_it_is
    after: Step = _as_it_is

    def __call__(self, x: Tensor) -> Tensor:
        """Return the output for the tokens x."""
        kind = x.dtype if isinstance(x, Tensor) else type(x).__name__
        if kind != torch.float64:
            raise TypeError(f"attend: expected a tensor of dtype torch.float64, got {kind}")
        if x.dim() != 2 or not 1 <= len(x) <= POSITIONS or x.shape[1] != WIDTH:
            wanted = f"[n, {WIDTH}] with n from 1 to {POSITIONS}"
            raise ValueError(f"attend: expected a tensor {wanted}, got shape {tuple(x.shape)}")
        return self.after(self._read(self.before(x)))

    def _read(self, x: Tensor) -> Tensor:
        query, key, value = (x @ matrix for matrix in _matrices())
        scores = query @ key.T / WIDTH**0.5 + self.bias[: len(x), : len(x)]
        empty = (scores == -inf).all(dim=-1, keepdim=True)
        return scores.masked_fill(empty, 0).softmax(dim=-1).masked_fill(empty, 0) @ (LOUD * value)


class ByPrefix(SelfAttention):
    """The same attention without a mask: a loop in which each position is given its past only."""

    def _read(self, x: Tensor) -> Tensor:
        rows = [SelfAttention._read(self, x[: i + 1])[-1] for i in range(len(x))]
        return torch.stack(rows)


class Backwards(SelfAttention):
    """The same attention on the sequence read from its end, and turned round again."""

    def _read(self, x: Tensor) -> Tensor:
        return super()._read(x.flip(0)).flip(0)


def _matrices() -> Tensor:
    generator = torch.Generator().manual_seed(7)
    return torch.randn(3, WIDTH, WIDTH, generator=generator, dtype=torch.float64) / WIDTH**0.5


# ---- Which pairs may read, and what becomes of the others


def where(allowed: Callable[[Tensor, Tensor], Tensor], otherwise: float = -inf) -> Tensor:
    """Return the bias that is 0 where query i may read key j, and `otherwise` elsewhere."""
    position = torch.arange(POSITIONS)
    table = allowed(position[:, None], position[None, :])
    return torch.zeros(table.shape, dtype=torch.float64).masked_fill(~table, otherwise)


def past(i: Tensor, j: Tensor) -> Tensor:
    """Position i reads itself and what came before."""
    return j <= i


def past_and(query: int, key: int) -> Tensor:
    """Return the bias of the past and of one pair besides, which is favoured."""
    bias = where(past)
    bias[query, key] = FAVOUR
    return bias


# ---- Steps before and after


def normalised(x: Tensor) -> Tensor:
    """Shift and scale each token to mean 0 and variance 1 over its features."""
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / centred.square().mean(dim=-1, keepdim=True).sqrt().clamp(min=1e-9)


def rounded(x: Tensor) -> Tensor:
    """Round each number to a multiple of one half."""
    return (2 * x).round() / 2


def less_the_mean(output: Tensor) -> Tensor:
    """Subtract the mean over all positions."""
    return output - output.mean(dim=0)


def less_the_mean_so_far(output: Tensor) -> Tensor:
    """Subtract from each position the mean of the positions up to it."""
    counts = torch.arange(1, len(output) + 1, dtype=output.dtype)[:, None]
    return output - output.cumsum(dim=0) / counts


def noisy(output: Tensor) -> Tensor:
    """Change the last digits at random, as sums do whose order differs from run to run."""
    return output * (1 + NOISE * torch.rand(output.shape, dtype=output.dtype))
