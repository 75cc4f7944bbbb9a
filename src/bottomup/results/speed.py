"""What ``make bench`` measured, and how each case stands against the aim of the package.

The aim: without weights, at least as fast as the fastest peer; with weights, no slower than
``nn.MultiheadAttention`` that returns them too.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from bottomup.checks import check_choice

SCHEMA = 1
OURS, TORCH = "bottomup", "torch"


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
class BenchmarkCase:
    """One thing computed by every side, with what it took.

    Attributes:
        n: number of positions.
        mask: ``causal`` or ``padded``.
        need_weights: whether the weights of every head are returned.
        backward: whether the gradients of the input and of all maps are computed too.
        rounds: in each of them every side ran once.
        largest_difference: for each peer, of the output, the weights and the input's gradient, in
            units of our largest number.
        seconds: of each side, ours under ``bottomup``.
        ratio: for each peer, our seconds over its seconds of the same round; below 1 we are faster.
        peak_bytes: what torch allocates in one pass, at its highest.
    """

    n: int
    mask: str
    need_weights: bool
    backward: bool
    rounds: int
    largest_difference: Mapping[str, Mapping[str, float]]
    seconds: Mapping[str, Spread]
    ratio: Mapping[str, Spread]
    peak_bytes: Mapping[str, int]

    @property
    def rival(self) -> str:
        """The peer that the aim names, torch with weights, without them the fastest peer."""
        if self.need_weights and TORCH in self.ratio:
            return TORCH
        return min(self.ratio, key=lambda peer: self.seconds[peer].median)

    @property
    def verdict(self) -> Speed:
        """Our time against the rival's; they differ where three of four rounds say so."""
        against = self.ratio[self.rival]
        if against.q1 > 1:
            return Speed.SLOWER
        return Speed.FASTER if against.q3 < 1 else Speed.AS_FAST


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """One run of a benchmark: where it was made, and its cases.

    Attributes:
        date: start of the run, in UTC.
        base_commit: commit the code was based on, ``unknown`` outside a repository.
        dirty: whether the package's code differed from that commit.
        machine: processor, cores, system, load at the start.
        versions: of Python, torch and the peers.
        threads: torch threads.
        clock: what the seconds are.
        memory: what the bytes are.
        batch: number of sequences.
        d_model: width of a position.
        heads: number of heads.
        minutes: what the run took.
        cases: in the order of the run, the sizes rising.
    """

    date: str
    base_commit: str
    dirty: bool
    machine: Mapping[str, Any]
    versions: Mapping[str, str]
    threads: int
    clock: str
    memory: str
    batch: int
    d_model: int
    heads: int
    minutes: float
    cases: tuple[BenchmarkCase, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of positions, rising."""
        return tuple(sorted({case.n for case in self.cases}))

    @property
    def peers(self) -> tuple[str, ...]:
        """The libraries we are compared with."""
        return tuple(self.cases[0].ratio)

    def select(self, **facts: Any) -> list[BenchmarkCase]:
        """Return the cases with these facts: ``run.select(mask="causal", need_weights=True)``."""
        wanted = facts.items()
        return [case for case in self.cases if all(getattr(case, k) == v for k, v in wanted)]

    def ratio_panels(
        self, *, backward: bool
    ) -> dict[str, dict[str, list[tuple[float, float, float]]]]:
        """Return the ratios as `bottomup.plotting.ratio_dots` draws them.

        One panel for each mask, without and with weights; in it for each peer one
        ``(q1, median, q3)`` for each of `sizes`.
        """
        words = {False: "without weights", True: "with weights"}
        masks = dict.fromkeys(case.mask for case in self.cases)
        panels = {}
        for need_weights, word in words.items():
            for mask in masks:
                found = self.select(mask=mask, need_weights=need_weights, backward=backward)
                ratios = [case.ratio for case in sorted(found, key=lambda case: case.n)]
                panels[f"{mask} mask, {word}"] = {
                    peer: [(r[peer].q1, r[peer].median, r[peer].q3) for r in ratios]
                    for peer in self.peers
                }
        return panels


def available_benchmarks() -> list[str]:
    """Return the file names of the committed benchmarks, in alphabetical order."""
    names = (entry.name for entry in _folder().iterdir())
    return sorted(name for name in names if name.endswith(".json"))


def benchmark(name: str) -> Benchmark:
    """Read a committed benchmark: ``benchmark("multi_head.json")``.

    The whole file name is asked for, so that a chapter which names it is known to depend on it.

    Raises:
        ValueError: there is no such benchmark (the message lists those there are), or it is
            damaged.
    """
    check_choice("name", name, available_benchmarks())
    return read_benchmark(_folder() / name)


def read_benchmark(path: Path | Traversable) -> Benchmark:
    """Read a file that a benchmark wrote.

    Raises:
        ValueError: another schema, or a field is missing or unknown.
    """
    content = json.loads(path.read_text(encoding="utf-8"))
    if content.pop("schema", None) != SCHEMA:
        raise ValueError(f"{path}: expected a benchmark of schema {SCHEMA}")
    cases = tuple(read_case(case) for case in content.pop("cases", ()))
    return _build(Benchmark, {**content, "cases": cases})


def read_case(content: Mapping[str, Any]) -> BenchmarkCase:
    """Return a case from the JSON of a benchmark.

    Raises:
        ValueError: a field is missing or unknown.
    """
    spreads = {
        name: {side: _build(Spread, found) for side, found in content.get(name, {}).items()}
        for name in ("seconds", "ratio")
    }
    return _build(BenchmarkCase, {**content, **spreads})


def _build(kind: type[Any], content: Mapping[str, Any]) -> Any:
    expected = {field.name for field in fields(kind)}
    if set(content) != expected:
        differing = ", ".join(sorted(set(content) ^ expected))
        raise ValueError(f"{kind.__name__}: fields missing or unknown: {differing}")
    return kind(**content)


def _folder() -> Traversable:
    return files("bottomup.results") / "benchmarks"
