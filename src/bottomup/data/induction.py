"""Sequences in which a part comes twice: what follows can be known from the sequence alone.

A symbol says nothing of the next one by itself, so that only looking back helps. Chapter 09 asks
how a network does it.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from bottomup.checks import check_choice, check_integer, check_token_ids
from bottomup.data.batching import TensorBatch
from bottomup.data.drawn import DrawnTask

STARTS = ("random", "last")


@dataclass(frozen=True, eq=False)
class InductionBatch(TensorBatch):
    """Sequences in which a part is repeated.

    Attributes:
        symbols: the sequences.
        following: at each position the symbol at the next one; 0 at the last.
        predictable: True where the next symbol follows from what came before: within the second
            copy, its last position left out.
    """

    symbols: Int64[Tensor, "batch position"]
    following: Int64[Tensor, "batch position"]
    predictable: Bool[Tensor, "batch position"]

    @property
    def tokens(self) -> int:
        """Number of places at which the next symbol can be known."""
        return int(self.predictable.sum())


@dataclass(frozen=True)
class InductionTask(DrawnTask[InductionBatch]):
    """A stream of batches, ``task(step) -> InductionBatch``, fixed by `seed` and `step` alone.

    A sequence holds a part of m symbols twice, the second copy right behind the first. m is drawn
    uniformly from `shortest` to `longest`, the place of the first copy among those where both fit.
    All symbols of a sequence differ but for the repetition: those of the part from each other, and
    those before and behind the copies from all. So each symbol of the second copy came exactly
    once before, and its successor there is the answer.

    A uniform guess is right with probability ``1 / symbols``. A network that knows the positions
    and not the symbols has to guess m.

    Attributes:
        length: positions of a sequence, at least ``2 longest``.
        symbols: number of different symbols, at least ``length - shortest``.
        shortest, longest: bounds of m, both included.
        start: "random", or "last" for a repetition that always ends with the sequence, so that
            a position tells where it stands in the second copy.
        batch_size: sequences in a batch.
        seed: fixes the batches.

    Example:
        >>> batch = InductionTask(length=7, symbols=9, shortest=2, longest=3, batch_size=5)(0)
        >>> batch.symbols.shape, batch.predictable.shape
        (torch.Size([5, 7]), torch.Size([5, 7]))
    """

    length: int = 24
    symbols: int = 24
    shortest: int = 5
    longest: int = 10
    start: str = "random"
    batch_size: int = 64
    seed: int = 0

    def __post_init__(self) -> None:
        check_integer("shortest", self.shortest, at_least=2)
        check_integer("longest", self.longest, at_least=self.shortest)
        check_integer("length", self.length, at_least=2 * self.longest)
        check_integer("symbols", self.symbols, at_least=self.length - self.shortest)
        check_choice("start", self.start, STARTS)
        super().__post_init__()

    def _draw(self, count: int, generator: np.random.Generator) -> InductionBatch:
        n, place = self.length, np.arange(self.length)
        m = generator.integers(self.shortest, self.longest + 1, size=(count, 1))
        free = n - 2 * m  # positions before and behind the copies
        start = free if self.start == "last" else generator.integers(free + 1)
        orders = generator.random((count, self.symbols)).argsort(axis=1)  # all symbols, shuffled
        # each position takes the next symbol of the order, the second copy those of the first
        second = (place >= start + m) & (place < start + 2 * m)
        taken = np.where(place < start + m, place, place - m)  # [batch, position]
        symbols = np.take_along_axis(orders, taken, axis=1)
        following = np.zeros_like(symbols)
        following[:, :-1] = symbols[:, 1:]
        predictable = second & (place < start + 2 * m - 1)
        return InductionBatch(*map(torch.from_numpy, (symbols, following, predictable)))


def successors(tokens: Int64[Tensor, "batch position"]) -> Bool[Tensor, "batch query key"]:
    """Say for each position which ones followed its token earlier.

    ``successors[i, j + 1]`` is True where ``j < i`` and ``token_j = token_i``.

    Args:
        tokens: token numbers.
    """
    _check(tokens)
    same = tokens[:, :, None] == tokens[:, None, :]  # [batch, i, j]
    followed = torch.zeros_like(same)
    followed[:, :, 1:] = same.tril(-1)[:, :, :-1]
    return followed


def successor_frequencies(
    tokens: Int64[Tensor, "batch position"], vocabulary: int
) -> Float[Tensor, "batch position vocabulary"]:
    """Return how often each token followed the current one so far, as a share of all that did.

    Where the current token has not come before, all shares are 0.

    Args:
        tokens: token numbers below `vocabulary`.
        vocabulary: number of token types.

    Example:
        >>> shares = successor_frequencies(torch.tensor([[0, 1, 0, 2, 0]]), vocabulary=3)
        >>> shares[0, -1]  # after 0 came 1 once, and 2 once
        tensor([0.0000, 0.5000, 0.5000], dtype=torch.float64)
    """
    check_integer("vocabulary", vocabulary, at_least=1)
    check_token_ids("tokens", tokens, "batch position", vocabulary=vocabulary)
    followed = successors(tokens).double()  # [batch, query, key]
    counts = followed @ torch.nn.functional.one_hot(tokens, vocabulary).double()
    return counts / counts.sum(dim=-1, keepdim=True).clamp(min=1)


def _check(tokens: Tensor) -> None:
    check_token_ids("tokens", tokens, "batch position", vocabulary=torch.iinfo(torch.int64).max)
