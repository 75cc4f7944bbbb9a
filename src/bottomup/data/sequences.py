"""Sequence tasks whose answer and alignment are known exactly: copy, reverse, reorder.

Symbols are drawn independently and uniformly, so that no symbol can be guessed from its
neighbours: what the decoder needs, it must read from the source. Chapter 01 measures the
fixed-vector bottleneck on them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bottomup.checks import check_choice, check_integer
from bottomup.data.batching import Batch, Pair, make_batch
from bottomup.data.vocabulary import UNK, Vocabulary

TRAINING, EVALUATION = 0, 1  # separate random streams for the same seed


def _copied(length: int) -> list[int]:
    return list(range(length))


def _reversed(length: int) -> list[int]:
    return list(range(length))[::-1]


def _reordered(length: int) -> list[int]:
    groups = [list(range(start, min(start + 3, length))) for start in range(0, length, 3)]
    return [index for first, *rest in groups for index in (first, *rest[::-1])]


ALIGNMENTS: dict[str, Callable[[int], list[int]]] = {
    "copy": _copied,
    "reverse": _reversed,
    "reorder": _reordered,
}


@dataclass(frozen=True)
class SequenceTask:
    """A stream of batches, ``task(step) -> Batch``, that depends on `seed` and `step` alone.

    - ``copy``: a b c d e becomes a b c d e
    - ``reverse``: a b c d e becomes e d c b a
    - ``reorder``: in each group of three, a b c becomes a c b (as subject, verb, object becomes
      subject, object, verb). A last group of two or one stays as it is.

    All sequences of one batch have the same length, drawn uniformly from `min_length` to
    `max_length`, so that no batch needs padding.

    Attributes:
        kind: "copy", "reverse" or "reorder".
        symbols: number of different symbols.
        min_length, max_length: range of lengths in training, both included.
        batch_size: pairs in a batch.
        seed: fixes the batches.

    Raises:
        TypeError, ValueError: an unknown `kind`, a number below 1, a `seed` below 0,
            or `max_length` below `min_length`.
    """

    kind: str
    symbols: int = 60
    min_length: int = 3
    max_length: int = 12
    batch_size: int = 64
    seed: int = 0

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, tuple(ALIGNMENTS))
        check_integer("symbols", self.symbols, at_least=1)
        check_integer("min_length", self.min_length, at_least=1)
        check_integer("max_length", self.max_length, at_least=self.min_length)
        check_integer("batch_size", self.batch_size, at_least=1)
        check_integer("seed", self.seed, at_least=0)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The symbols "0", "1", ... behind the special tokens; source and target share it."""
        return Vocabulary(str(number) for number in range(self.symbols))

    def __call__(self, step: int) -> Batch:
        """Return the training batch of `step`, counted from 0.

        Raises:
            TypeError, ValueError: `step` is not an integer of at least 0.
        """
        check_integer("step", step, at_least=0)
        generator = np.random.default_rng([self.seed, TRAINING, step])
        length = int(generator.integers(self.min_length, self.max_length + 1))
        return make_batch(self._draw(length, self.batch_size, generator))

    def pairs(self, length: int, count: int, *, seed: int) -> list[Pair]:
        """Draw `count` pairs of one length for evaluation, from a stream apart from training.

        Args:
            length: number of symbols in each sequence; it may exceed `max_length`.
            count: number of pairs.
            seed: fixes the pairs. The task's own seed has no influence.

        Raises:
            TypeError, ValueError: `length` or `count` is not an integer of at least 1, `seed`
                not one of at least 0.
        """
        check_integer("length", length, at_least=1)
        check_integer("count", count, at_least=1)
        check_integer("seed", seed, at_least=0)
        return self._draw(length, count, np.random.default_rng([seed, EVALUATION, length]))

    def alignment(self, length: int) -> list[int]:
        """Return the source position of each target position (EOS left out).

        ``target[i] = source[alignment[i]]``

        Raises:
            TypeError, ValueError: `length` is not an integer of at least 1.
        """
        check_integer("length", length, at_least=1)
        return ALIGNMENTS[self.kind](length)

    def _draw(self, length: int, count: int, generator: np.random.Generator) -> list[Pair]:
        first = UNK + 1
        sources = generator.integers(first, first + self.symbols, size=(count, length))
        targets = sources[:, self.alignment(length)]
        return list(zip(sources.tolist(), targets.tolist(), strict=True))
