"""What ``make bench`` measured: the cases of a file, and how each stands against its aim.

All sides of a case run in every round. A ratio is the seconds of the first side over those of
another one in the same round: the first is ours, and in ``sparse.json`` torch's causal kernel.

The aims: at least as fast as the fastest peer; where attention returns its weights, no slower than
``nn.MultiheadAttention`` that returns them too; where a cache saves work, at least four times as
fast as without it.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import pairwise
from pathlib import Path
from statistics import linear_regression
from typing import Any

from bottomup.checks import check_choice

SCHEMA = 2
OURS, TORCH, X_TRANSFORMERS = "bottomup", "torch", "x-transformers"
RE_DECODING = "re-decoding"  # our model without its cache
SPEED_UP = 4  # of the cache, at least
STRIDED, FIXED = "strided", "fixed"  # the two merged heads of the paper
CAUSAL, MASKED = "causal", "masked"  # torch's kernel with the flag, with a boolean mask

Points = dict[str, list[tuple[float, float, float, float]]]


class Speed(StrEnum):
    """How our time compares with a peer's; "slower" misses the aim."""

    FASTER = "faster"
    AS_FAST = "as fast"
    SLOWER = "slower"


@dataclass(frozen=True, kw_only=True)
class Spread:
    """Median and quartiles over the rounds."""

    median: float
    q1: float
    q3: float


@dataclass(frozen=True, kw_only=True)
class Case:
    """One thing that several sides computed. A size that a benchmark does not vary is 0.

    Attributes:
        rounds: in each of them every side ran once.
        difference: of each side that was compared, the largest from what it should compute, in
            units of the largest number.
        seconds: of each side.
        ratio: for each side but the first, the first's seconds over its own of the same round.
        peak_bytes: the most that torch allocates at one moment of a run.
        n: number of positions.
        batch: number of sequences.
        layers: of the encoder, and as many of the decoder.
        d_model, heads: of a model.
        rows: of sparse attention: sequences times heads.
        mask: ``causal`` or ``padded``.
        need_weights: whether the weights of every head are returned.
        backward: whether gradients are computed too.
    """

    rounds: int
    difference: Mapping[str, float]
    seconds: Mapping[str, Spread]
    ratio: Mapping[str, Spread]
    peak_bytes: Mapping[str, int]
    n: int
    batch: int = 0
    layers: int = 0
    d_model: int = 0
    heads: int = 0
    rows: int = 0
    mask: str = ""
    need_weights: bool = False
    backward: bool = False

    @property
    def rival(self) -> str:
        """The side that the aim is about; torch with weights, else the fastest."""
        if self.need_weights and TORCH in self.ratio:
            return TORCH
        return min(self.ratio, key=lambda side: self.seconds[side].median)

    @property
    def verdict(self) -> Speed:
        """Our time against the rival's; they differ where three of four rounds say so."""
        against = self.ratio[self.rival]
        if against.q1 > 1:
            return Speed.SLOWER
        return Speed.FASTER if against.q3 < 1 else Speed.AS_FAST

    @property
    def missed(self) -> tuple[str, ...]:
        """Names of the sides against which the aim is missed, our model without cache at last."""
        slower = [self.rival] if self.verdict is Speed.SLOWER else []
        without = self.ratio.get(RE_DECODING)
        if without is not None and SPEED_UP * without.q1 > 1:
            slower.append(RE_DECODING)
        return tuple(dict.fromkeys(slower))


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """One run of a benchmark: where it was made, and its cases.

    From `series` on, what it offers is about the number of positions: forward passes on one row,
    if nothing else is said.

    Attributes:
        date: start of the run, in UTC.
        base_commit: commit the code was based on, ``unknown`` outside a repository.
        dirty: whether the package's code differed from that commit.
        machine: processor, cores, system, load at the start.
        versions: of Python, torch and the peers.
        threads: torch threads.
        minutes: what the run took.
        cases: in the order of the run.
    """

    date: str
    base_commit: str
    dirty: bool
    machine: Mapping[str, Any]
    versions: Mapping[str, str]
    threads: int
    minutes: float
    cases: tuple[Case, ...]

    @property
    def is_over_n(self) -> bool:
        """Whether it is about the number of positions, and not about our peers."""
        return CAUSAL in self.cases[0].seconds

    def select(self, **facts: Any) -> list[Case]:
        """Return the cases with these facts, also as text: ``run.select(mask="causal", n=64)``."""
        wanted = {name: str(value) for name, value in facts.items()}
        return [c for c in self.cases if all(str(getattr(c, k)) == v for k, v in wanted.items())]

    def series(self, side: str, *, backward: bool = False, rows: int = 1) -> list[Case]:
        """Return the cases in which a side ran, by rising n."""
        found = [c for c in self.select(backward=backward, rows=rows) if side in c.seconds]
        return sorted(found, key=lambda case: case.n)

    def exponent(self, side: str, *, low: int = 256) -> float:
        """Return k of the line ``log time = k log n + b`` with the least squares.

        The times are medians, from `low` positions on.
        """
        used = [case for case in self.series(side) if case.n >= low]
        times = [math.log(case.seconds[side].median) for case in used]
        return linear_regression([math.log(case.n) for case in used], times).slope

    def speed_up(self, side: str, n: int, *, backward: bool = False) -> Spread:
        """Return how many times as fast as torch's causal kernel a side is."""
        found = {case.n: case.ratio[side] for case in self.series(side, backward=backward)}
        check_choice("n", n, found)
        return found[n]

    def crossover(self, side: str, *, rows: int = 1) -> float | None:
        """Return the n from which on a side is faster than torch's causal kernel.

        Between two measured n it lies on the line through both in logarithms of n and of speed-up.

        Returns:
            The n, or None where the side is faster at the first n already, or at none.
        """
        cases = self.series(side, rows=rows)
        logs = [(math.log(case.n), math.log(case.ratio[side].median)) for case in cases]
        for (x, y), (next_x, next_y) in pairwise(logs):
            if y < 0 <= next_y:
                return math.exp(x - y * (next_x - x) / (next_y - y))
        return None

    def times(self, *sides: str, backward: bool = False) -> Points:
        """Return milliseconds as `bottomup.plotting.scaling_curves` draws them.

        For each side one ``(n, q1, median, q3)`` for each n.
        """
        found: Points = {}
        for side in sides:
            spreads = [(c.n, c.seconds[side]) for c in self.series(side, backward=backward)]
            found[side] = [(n, 1e3 * s.q1, 1e3 * s.median, 1e3 * s.q3) for n, s in spreads]
        return found

    def quotable(self) -> dict[str, Any]:
        """Return what prose may quote beside the file itself.

        ``exponent`` by side, and ``crossover`` by rows and side.
        """
        if not self.is_over_n:
            return {}
        sides = (STRIDED, FIXED)
        every = {case.rows for case in self.select(backward=False)}
        return {
            "exponent": {side: self.exponent(side) for side in sides},
            "crossover": {str(r): {s: self.crossover(s, rows=r) for s in sides} for r in every},
        }


def available_benchmarks() -> list[str]:
    """Return the file names of the committed benchmarks, in alphabetical order."""
    names = (entry.name for entry in _folder().iterdir())
    return sorted(name for name in names if name.endswith(".json"))


def benchmark(name: str) -> Benchmark:
    """Read a committed benchmark: ``benchmark("multi_head.json")``.

    The whole file name is asked for, so that a chapter which names it is known to depend on it.
    """
    check_choice("name", name, available_benchmarks())
    return read_benchmark(_folder() / name)


def read_benchmark(path: Path | Traversable) -> Benchmark:
    """Read a file that ``make bench`` wrote."""
    content = json.loads(path.read_text(encoding="utf-8"))
    if content.pop("schema", None) != SCHEMA:
        raise ValueError(f"{path}: expected a benchmark of schema {SCHEMA}")
    return Benchmark(**{**content, "cases": tuple(map(read_case, content["cases"]))})


def read_case(content: Mapping[str, Any]) -> Case:
    """Return a case from the JSON of a benchmark."""
    spreads = {
        name: {side: Spread(**found) for side, found in content[name].items()}
        for name in ("seconds", "ratio")
    }
    return Case(**{**content, **spreads})


def _folder() -> Traversable:
    return files("bottomup.results") / "benchmarks"
