"""Random choices that are the same on every machine and in every version of Python.

Python promises to keep the stream of `random.Random(seed).random()`, and of nothing else in that
module. All choices here are built on it.
"""

import random
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """A stream of choices that depends on the seed alone."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return self._random() < probability

    def pick(self, items: Sequence[T]) -> T:
        """One of the items, all alike."""
        return items[int(self._random() * len(items))]

    def zipf(self, items: Sequence[T]) -> T:
        """One of the items; the one at rank r (from 0) has a weight of 1 / (r + 2)."""
        table = _zipf_table(len(items))
        return items[bisect_right(table, self._random() * table[-1], 0, len(items) - 1)]

    def weighted(self, items: Sequence[tuple[T, float]]) -> T:
        """One of the first entries of `items`; the second entries are the weights."""
        rest = self._random() * sum(weight for _, weight in items)
        for item, weight in items:
            rest -= weight
            if rest < 0:
                return item
        return items[-1][0]

    def shuffle(self, items: list[T]) -> None:
        """Shuffle in place (Fisher and Yates)."""
        for last in range(len(items) - 1, 0, -1):
            other = int(self._random() * (last + 1))
            items[last], items[other] = items[other], items[last]


@cache
def _zipf_table(length: int) -> list[float]:
    return list(accumulate(1.0 / (rank + 2) for rank in range(length)))
