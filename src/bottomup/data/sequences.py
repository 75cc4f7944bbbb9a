"""Sequence tasks whose answer and alignment are known exactly: copy, reverse, reorder, sort.

Symbols are drawn uniformly, so that no symbol can be guessed from its neighbours: what the decoder
needs, it must read from the source. In copy, reverse and reorder the length alone tells which
source position a target position comes from; in sort the symbols themselves do. Chapter 01
measures the fixed-vector bottleneck on the first three, chapter 01b location scores on the last.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bottomup.checks import check_choice, check_integer
from bottomup.data.batching import Batch, Pair, make_batch
from bottomup.data.drawn import EVALUATION, TRAINING
from bottomup.data.vocabulary import UNK, Vocabulary


def _reordered(length: int) -> list[int]:
    groups = [list(range(start, min(start + 3, length))) for start in range(0, length, 3)]
    return [index for first, *rest in groups for index in (first, *rest[::-1])]


ALIGNMENTS: dict[str, Callable[[int], list[int]]] = {
    "copy": lambda length: list(range(length)),
    "reverse": lambda length: list(range(length))[::-1],
    "reorder": _reordered,
}
KINDS = (*ALIGNMENTS, "sort")
FIRST_SYMBOL = UNK + 1


@dataclass(frozen=True)
class SequenceTask:
    """A stream of batches, ``task(step) -> Batch``, that depends on `seed` and `step` alone.

    - ``copy``: a b c d e becomes a b c d e
    - ``reverse``: a b c d e becomes e d c b a
    - ``reorder``: in each group of three, a b c becomes a c b (as subject, verb, object becomes
      subject, object, verb). A last group of two or one stays as it is.
    - ``sort``: c a d b becomes a b c d, the order of the vocabulary. The symbols of one sequence
      all differ, so that the answer is a permutation of the source, another one for each sequence.

    All sequences of one batch have the same length, drawn uniformly from `min_length` to
    `max_length`, so that no batch needs padding.

    Attributes:
        kind: "copy", "reverse", "reorder" or "sort".
        symbols: number of different symbols; "sort" needs at least `max_length`.
        min_length, max_length: range of lengths in training, both included.
        batch_size: pairs in a batch.
        seed: fixes the batches.

    Example:
        >>> task = SequenceTask("reverse", symbols=5, batch_size=2)
        >>> pair = task.pairs(length=3, count=1, seed=0)[0]
        >>> pair[0] == pair[1][::-1]
        True
    """

    kind: str
    symbols: int = 60
    min_length: int = 3
    max_length: int = 12
    batch_size: int = 64
    seed: int = 0

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, KINDS)
        check_integer("symbols", self.symbols, at_least=1)
        check_integer("min_length", self.min_length, at_least=1)
        check_integer("max_length", self.max_length, at_least=self.min_length)
        check_integer("batch_size", self.batch_size, at_least=1)
        check_integer("seed", self.seed, at_least=0, below=2**63)
        if self.kind == "sort":
            self._check_enough_symbols("max_length", self.max_length)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The symbols "0", "1", ... behind the special tokens; source and target share it."""
        return Vocabulary(str(number) for number in range(self.symbols))

    def __call__(self, step: int) -> Batch:
        """Return the training batch of `step`, counted from 0."""
        check_integer("step", step, at_least=0, below=2**63)
        generator = np.random.default_rng([self.seed, TRAINING, step])
        length = int(generator.integers(self.min_length, self.max_length + 1))
        return make_batch(self._draw(length, self.batch_size, generator))

    def pairs(self, length: int, count: int, *, seed: int) -> list[Pair]:
        """Draw `count` pairs of one length for evaluation, from a stream apart from training.

        Args:
            length: number of symbols in each sequence; it may exceed `max_length`, but with "sort"
                not `symbols`.
            count: number of pairs.
            seed: fixes the pairs. The task's own seed has no influence.
        """
        check_integer("length", length, at_least=1)
        check_integer("count", count, at_least=1)
        check_integer("seed", seed, at_least=0, below=2**63)
        if self.kind == "sort":
            self._check_enough_symbols("length", length)
        return self._draw(length, count, np.random.default_rng([seed, EVALUATION, length]))

    def alignment(self, length: int) -> list[int]:
        """Return the source position of each target position (EOS left out).

        ``target[i] = source[alignment[i]]``
        """
        check_integer("length", length, at_least=1)
        if self.kind not in ALIGNMENTS:
            raise ValueError(
                f"kind: expected one whose alignment the length tells, got {self.kind!r}; "
                "align(source_ids) gives the alignment of one sequence"
            )
        return ALIGNMENTS[self.kind](length)

    def align(self, source_ids: Sequence[int]) -> list[int]:
        """Return the source position of each target position of one sequence (EOS left out).

        ``target[i] = source_ids[align(source_ids)[i]]``

        Args:
            source_ids: the ids of the symbols, as `pairs` returns them: without EOS and padding.
        """
        ids, end = list(source_ids), FIRST_SYMBOL + self.symbols
        if not ids or not all(FIRST_SYMBOL <= symbol < end for symbol in ids):
            raise ValueError(
                f"source_ids: expected ids of symbols, in [{FIRST_SYMBOL}, {end}), without EOS and "
                f"padding, got {ids}"
            )
        if self.kind == "sort":
            return sorted(range(len(ids)), key=ids.__getitem__)
        return self.alignment(len(ids))

    def _check_enough_symbols(self, name: str, length: int) -> None:
        """Sorting draws without replacement, so a sequence is no longer than there are symbols."""
        if length > self.symbols:
            raise ValueError(
                f"{name}: expected at most symbols={self.symbols} for kind 'sort', whose symbols "
                f"all differ, got {length}"
            )

    def _draw(self, length: int, count: int, generator: np.random.Generator) -> list[Pair]:
        end = FIRST_SYMBOL + self.symbols
        if self.kind == "sort":
            every = np.tile(np.arange(FIRST_SYMBOL, end), (count, 1))
            sources = generator.permuted(every, axis=1)[:, :length]
            targets = np.sort(sources, axis=1)
        else:
            sources = generator.integers(FIRST_SYMBOL, end, size=(count, length))
            targets = sources[:, self.alignment(length)]
        return list(zip(sources.tolist(), targets.tolist(), strict=True))
