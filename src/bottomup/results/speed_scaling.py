"""What ``make bench`` measured of sparse attention: time and memory over the number of positions.

The aims: in a forward pass time grows with the power 1.6 of n at most; at 16,384 positions it is 6
times (strided) and 12 times (fixed) as fast as torch's causal kernel; with a backward pass, 7 times
at 4,096; and it takes an eighth of the memory of dense attention under a mask.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from statistics import linear_regression
from typing import Any

from bottomup.results.speed import Benchmark, MeasuredCase, Spread

# Ours: the two merged heads of the paper, and three single sets.
STRIDED, FIXED = "strided", "fixed"
SPARSE = (STRIDED, FIXED, "window", "column", "block")
# torch's kernel with the causal flag, without any rule, and with a boolean mask.
CAUSAL, FULL, MASKED = "causal", "full", "masked"
NAIVE = "naive"  # the matrix of scores, masked_fill, softmax, product
FLEX = ("flex-strided", "flex-fixed")

FIRST, MIDDLE, LAST = 256, 4096, 16384  # the numbers of positions that the aims name
FEWEST = 2  # points of a line
MEBIBYTE = 2**20

Points = dict[str, list[tuple[float, float, float, float]]]


@dataclass(frozen=True, kw_only=True)
class ScalingCase(MeasuredCase):
    """One pass of attention over n positions, by every kind of attention that was measured.

    Attributes:
        rows: sequences times heads.
        backward: whether the gradients of query, key and value are computed too.
        stride: l, which is also the block of fixed attention and the width of the window.
        speed_up: for each side but `CAUSAL`, the seconds of `CAUSAL` over its seconds of the same
            round; above 1 the side is faster.
        first_call: seconds on the wall of the first call, of what is compiled then; fewer where
            torch has kept what an earlier run compiled.
        left_out: the sides that did not run, and why.
    """

    rows: int
    backward: bool
    stride: int
    speed_up: Mapping[str, Spread]
    first_call: Mapping[str, float]
    left_out: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Aim:
    """One number that the package wants to reach, and the one that was measured.

    Attributes:
        name: ``exponent``, ``speed``, ``training`` or ``memory``.
        side: whose number it is.
        value: the number; of times the median.
        bound: what it is held against.
        at_most: whether it should be at most the bound; else at least.
    """

    name: str
    side: str
    value: float
    bound: float
    at_most: bool

    @property
    def met(self) -> bool:
        """Whether the number reaches the bound."""
        return self.value <= self.bound if self.at_most else self.value >= self.bound


@dataclass(frozen=True, kw_only=True)
class ScalingBenchmark(Benchmark):
    """Attention over more and more positions, on one row (one head of one sequence) and on several.

    Attributes:
        d_head: width of a query, key and value.
        cases: in the order of the run.
    """

    d_head: int
    cases: tuple[ScalingCase, ...]

    @property
    def sides(self) -> tuple[str, ...]:
        """What was measured, in the order of the first case that has it."""
        return tuple(dict.fromkeys(side for case in self.cases for side in case.seconds))

    @property
    def passes(self) -> tuple[tuple[bool, int], ...]:
        """The kinds of pass, ``(backward, rows)``, in the order of the run."""
        return tuple(dict.fromkeys((case.backward, case.rows) for case in self.cases))

    def series(self, side: str, *, backward: bool = False, rows: int = 1) -> list[ScalingCase]:
        """Return the cases in which a side ran, by rising n."""
        found = [c for c in self.select(backward=backward, rows=rows) if side in c.seconds]
        if not found:
            raise ValueError(
                f"side: expected one of {', '.join(self.sides)} that ran with "
                f"backward={backward} and rows={rows}, got {side!r}"
            )
        return sorted(found, key=lambda case: case.n)

    def case(self, side: str, n: int, *, backward: bool = False, rows: int = 1) -> ScalingCase:
        """Return the case of n positions."""
        found = {case.n: case for case in self.series(side, backward=backward, rows=rows)}
        if n not in found:
            raise ValueError(f"n: expected one of {', '.join(map(str, found))}, got {n}")
        return found[n]

    def exponent(
        self,
        side: str,
        *,
        backward: bool = False,
        rows: int = 1,
        low: int = FIRST,
        high: int | None = None,
    ) -> float:
        """Return k of the line ``log time = k log n + b`` with the least squares.

        Args:
            side: whose time, the median over the rounds.
            backward, rows: of which pass.
            low, high: the fewest and the most positions that count; by default from 256 on.
        """
        series = self.series(side, backward=backward, rows=rows)
        used = [c for c in series if low <= c.n <= (c.n if high is None else high)]
        if len(used) < FEWEST:
            raise ValueError(
                f"low, high: expected a range with at least two of "
                f"{', '.join(str(c.n) for c in series)}, got {low} and {high}"
            )
        times = [math.log(case.seconds[side].median) for case in used]
        return linear_regression([math.log(case.n) for case in used], times).slope

    def speed_up(self, side: str, n: int, *, backward: bool = False, rows: int = 1) -> Spread:
        """Return how many times as fast as torch's causal kernel a side is; 1 for that kernel."""
        case = self.case(side, n, backward=backward, rows=rows)
        return case.speed_up.get(side, Spread(median=1.0, q1=1.0, q3=1.0))

    def crossover(self, side: str, *, backward: bool = False, rows: int = 1) -> float | None:
        """Return the n from which on a side is faster than torch's causal kernel.

        Between two measured n it lies on the line through both in logarithms of n and of speed-up.

        Returns:
            The n, or None where the side is faster at the first n already, or at none.
        """
        series = self.series(side, backward=backward, rows=rows)
        logs = [(math.log(c.n), math.log(c.speed_up[side].median)) for c in series]
        for (x, y), (next_x, next_y) in pairwise(logs):
            if y < 0 <= next_y:
                return math.exp(x - y * (next_x - x) / (next_y - y))
        return None

    def times(self, *sides: str, backward: bool = False, rows: int = 1) -> Points:
        """Return milliseconds as `bottomup.plotting.scaling_curves` draws them.

        For each side one ``(n, q1, median, q3)`` for each n.
        """
        found: Points = {}
        for side in sides:
            cases = self.series(side, backward=backward, rows=rows)
            spreads = [(case.n, case.seconds[side]) for case in cases]
            found[side] = [(n, 1e3 * s.q1, 1e3 * s.median, 1e3 * s.q3) for n, s in spreads]
        return found

    def peaks(self, *sides: str, backward: bool = False, rows: int = 1) -> Points:
        """Return the peak memory in units of 2^20 bytes, in the same form; it has no spread."""
        found: Points = {}
        for side in sides:
            cases = self.series(side, backward=backward, rows=rows)
            found[side] = [(c.n, *3 * (c.peak_bytes[side] / MEBIBYTE,)) for c in cases]
        return found

    @property
    def aims(self) -> tuple[Aim, ...]:
        """The aims, each with what was measured; those whose n were not measured are left out."""
        return tuple(_aims(self))

    def quotable(self) -> dict[str, Any]:
        """Return every number that prose may quote, as names within names.

        ``exponent`` and ``crossover`` by pass, rows and side; ``speed_up``, ``ms`` and ``mb`` by
        pass, rows, n and side. A pass is ``forward`` or ``backward``, which counts both.
        """
        found: dict[str, Any] = {}
        for backward, rows in self.passes:
            way, which = "backward" if backward else "forward", dict(backward=backward, rows=rows)
            for side in self.sides:
                for (name, *path), value in _numbers(self, side, which):
                    tree = found
                    for branch in (name, way, str(rows), *path):
                        tree = tree.setdefault(branch, {})
                    tree[side] = value
        return found


def _aims(run: ScalingBenchmark) -> Iterator[Aim]:
    sizes = {case.n for case in run.select(rows=1, backward=False)}
    if {FIRST, LAST} <= sizes:
        for side in (STRIDED, FIXED):
            slope = run.exponent(side, high=LAST)
            yield Aim(name="exponent", side=side, value=slope, bound=1.6, at_most=True)
        for side, bound in ((STRIDED, 6), (FIXED, 12)):
            times = run.speed_up(side, LAST).median
            yield Aim(name="speed", side=side, value=times, bound=bound, at_most=False)
    if run.select(rows=1, backward=True, n=MIDDLE):
        for side in (STRIDED, FIXED):
            times = run.speed_up(side, MIDDLE, backward=True).median
            yield Aim(name="training", side=side, value=times, bound=7, at_most=False)
    if LAST in sizes and MASKED in run.case(CAUSAL, LAST).peak_bytes:
        peaks = run.case(CAUSAL, LAST).peak_bytes
        for side in (STRIDED, FIXED):
            share = peaks[side] / peaks[MASKED]
            yield Aim(name="memory", side=side, value=share, bound=1 / 8, at_most=True)


def _numbers(
    run: ScalingBenchmark, side: str, which: Mapping[str, Any]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the numbers of one side in one kind of pass, each with its name and maybe its n."""
    cases = [case for case in run.select(**which) if side in case.seconds]
    if len([case for case in cases if case.n >= FIRST]) >= FEWEST:
        yield ("exponent",), run.exponent(side, **which)
    if side != CAUSAL and cases:
        yield ("crossover",), run.crossover(side, **which)
    for case in cases:
        n, seconds = str(case.n), case.seconds[side]
        yield ("speed_up", n), vars(run.speed_up(side, case.n, **which))
        yield ("ms", n), {name: 1e3 * value for name, value in vars(seconds).items()}
        yield ("mb", n), case.peak_bytes[side] / MEBIBYTE
