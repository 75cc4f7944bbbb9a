"""Pair retrieval: two positions of a sequence are asked for, in an order, and both must be read.

The symbols are drawn independently of each other and of the question, so that nothing but reading
the two positions helps. Chapter 03 asks how many heads that takes.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Int64
from torch import Tensor

from bottomup.checks import check_integer
from bottomup.data.batching import TensorBatch
from bottomup.data.drawn import DrawnTask

PLACES = 2  # the question names a first and a second position


@dataclass(frozen=True, eq=False)
class RetrievalBatch(TensorBatch):
    """Sequences of symbols, a question about each, and its answer.

    ``answer[b, i] = symbols[b, asked[b, i]]``

    Attributes:
        symbols: the sequences.
        asked: two different positions of each, the first and the second.
        answer: the symbol at the first position, and that at the second.
    """

    symbols: Int64[Tensor, "batch position"]
    asked: Int64[Tensor, "batch 2"]
    answer: Int64[Tensor, "batch 2"]

    @property
    def tokens(self) -> int:
        """Number of symbols to be answered, two for each sequence."""
        return self.answer.numel()


@dataclass(frozen=True)
class PairRetrieval(DrawnTask[RetrievalBatch]):
    """A stream of batches, ``task(step) -> RetrievalBatch``, fixed by `seed` and `step` alone.

    Every symbol of a sequence is drawn uniformly, and so is the question among all ordered pairs of
    different positions. The two answers may be the same symbol. A uniform guess gets one slot right
    with probability ``1 / symbols``, both with ``1 / symbols^2``.

    Attributes:
        positions: length of a sequence, at least 2.
        symbols: number of different symbols, at least 2.
        batch_size: sequences in a batch.
        seed: fixes the batches.

    Example:
        >>> batch = PairRetrieval(positions=5, symbols=3, batch_size=2)(0)
        >>> batch.symbols.shape, batch.asked.shape
        (torch.Size([2, 5]), torch.Size([2, 2]))
    """

    positions: int = 12
    symbols: int = 16
    batch_size: int = 256
    seed: int = 0

    def __post_init__(self) -> None:
        check_integer("positions", self.positions, at_least=PLACES)
        check_integer("symbols", self.symbols, at_least=2)
        super().__post_init__()

    def _draw(self, count: int, generator: np.random.Generator) -> RetrievalBatch:
        symbols = generator.integers(self.symbols, size=(count, self.positions))
        first = generator.integers(self.positions, size=count)
        # a distance from 1 to positions - 1, round the end: every other position equally often
        distance = generator.integers(1, self.positions, size=count)
        asked = np.stack([first, (first + distance) % self.positions], axis=1)
        answer = np.take_along_axis(symbols, asked, axis=1)
        return RetrievalBatch(*map(torch.from_numpy, (symbols, asked, answer)))
