"""Sequences in which each part comes twice, one part after another, of any length.

What can be known stands a few positions back, however long the sequence is. Chapter 10b asks which
networks still look there where a sequence is longer than all they were trained on.
"""

from dataclasses import dataclass

import numpy as np
import torch

from bottomup.checks import check_integer
from bottomup.data.drawn import EVALUATION, TRAINING
from bottomup.data.induction import InductionBatch


@dataclass(frozen=True)
class EchoTask:
    """A stream of batches, ``task(step) -> InductionBatch``, fixed by `seed` and `step` alone.

    A sequence is made of parts, each of m different symbols, and each followed by its copy:
    ``a b c a b c b d b d ...``. m is drawn uniformly from `shortest` to `longest` for each part,
    and its symbols from all, so that a symbol comes back in later parts with another successor.
    The next symbol is predictable within a copy, behind its first position: it followed the
    same symbol m positions ago. The sequence ends after `length` symbols, wherever that is.

    A uniform guess is right with probability ``1 / symbols``.

    Attributes:
        length: positions of a training sequence, at least ``2 shortest``.
        symbols: number of different symbols, at least `longest`.
        shortest, longest: bounds of m, both included.
        batch_size: sequences in a batch.
        seed: fixes the batches.
    """

    length: int = 32
    symbols: int = 32
    shortest: int = 5
    longest: int = 10
    batch_size: int = 32
    seed: int = 0

    def __post_init__(self) -> None:
        check_integer("shortest", self.shortest, at_least=2)
        check_integer("longest", self.longest, at_least=self.shortest)
        check_integer("length", self.length, at_least=2 * self.shortest)
        check_integer("symbols", self.symbols, at_least=self.longest)
        check_integer("batch_size", self.batch_size, at_least=1)
        check_integer("seed", self.seed, at_least=0, below=2**63)

    def __call__(self, step: int) -> InductionBatch:
        """Return the training batch of `step`, counted from 0."""
        check_integer("step", step, at_least=0, below=2**63)
        generator = np.random.default_rng([self.seed, TRAINING, step])
        return self._draw(self.batch_size, self.length, generator)

    def evaluation(self, count: int, length: int, *, seed: int) -> InductionBatch:
        """Draw one batch for evaluation, from a stream apart from training.

        Args:
            count: number of sequences.
            length: positions of each, any number.
            seed: fixes them. The task's own seed has no influence.
        """
        check_integer("count", count, at_least=1)
        check_integer("length", length, at_least=2)
        check_integer("seed", seed, at_least=0, below=2**63)
        return self._draw(count, length, np.random.default_rng([seed, EVALUATION]))

    def _draw(self, count: int, length: int, generator: np.random.Generator) -> InductionBatch:
        symbols = np.zeros((count, length + 1), dtype=np.int64)  # one more: what follows the last
        predictable = np.zeros((count, length), dtype=bool)
        for row, known in zip(symbols, predictable, strict=True):
            end = 0
            while end <= length:
                m = int(generator.integers(self.shortest, self.longest + 1))
                part = generator.permutation(self.symbols)[:m]
                twice = np.concatenate([part, part])[: length + 1 - end]
                row[end : end + len(twice)] = twice
                known[end + m : end + 2 * m - 1] = True
                end += 2 * m
        return InductionBatch(
            *map(torch.from_numpy, (symbols[:, :-1].copy(), symbols[:, 1:].copy(), predictable))
        )
