"""What ``make bench`` measured, and how each case stands against the aim of the package.

The aim: at least as fast as the fastest peer; where attention returns its weights, no slower than
``nn.MultiheadAttention`` that returns them too; where a cache saves work, at least four times as
fast as without it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

SCHEMA = 1
OURS, TORCH = "bottomup", "torch"
RE_DECODING = "re-decoding"  # our model without its cache
ATTENTION, TRAINING, DECODING = "attention", "training step", "decoding"
SCALING = "scaling"
SPEED_UP = 4  # of the cache, at least

Panels = dict[str, dict[str, list[tuple[float, float, float]]]]


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
class MeasuredCase:
    """One thing computed by several sides, with what it took each of them.

    Attributes:
        n: number of positions.
        rounds: in each of them every side ran once.
        largest_difference: for each side that was compared, and of what, in units of the largest
            number that it was compared with.
        seconds: of each side.
        peak_bytes: what torch allocates in one run, at its highest.
    """

    n: int
    rounds: int
    largest_difference: Mapping[str, Mapping[str, float]]
    seconds: Mapping[str, Spread]
    peak_bytes: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class BenchmarkCase(MeasuredCase):
    """One thing computed by us, under ``bottomup``, and by peers.

    Attributes:
        ratio: for each peer, our seconds over its seconds of the same round; below 1 we are faster.
    """

    ratio: Mapping[str, Spread]

    @property
    def rival(self) -> str:
        """Name of the peer that the aim is about, the fastest."""
        return min(self.ratio, key=lambda peer: self.seconds[peer].median)

    @property
    def verdict(self) -> Speed:
        """Our time against the rival's; they differ where three of four rounds say so."""
        against = self.ratio[self.rival]
        if against.q1 > 1:
            return Speed.SLOWER
        return Speed.FASTER if against.q3 < 1 else Speed.AS_FAST

    @property
    def missed(self) -> tuple[str, ...]:
        """Names of the sides against which the aim is missed."""
        return (self.rival,) if self.verdict is Speed.SLOWER else ()


@dataclass(frozen=True, kw_only=True)
class AttentionCase(BenchmarkCase):
    """One pass of multi-head attention.

    Attributes:
        mask: ``causal`` or ``padded``.
        need_weights: whether the weights of every head are returned.
        backward: whether the gradients of the input and of all maps are computed too.
    """

    mask: str
    need_weights: bool
    backward: bool

    @property
    def rival(self) -> str:
        """Name of the peer that the aim is about, torch with weights, else the fastest."""
        if self.need_weights and TORCH in self.ratio:
            return TORCH
        return super().rival


@dataclass(frozen=True, kw_only=True)
class ModelCase(BenchmarkCase):
    """One run of a whole Transformer.

    Attributes:
        layers: of the encoder, and as many of the decoder.
        d_model: width of a position.
        heads: number of heads.
        batch: number of sequences.
        parameters: of each side.
    """

    layers: int
    d_model: int
    heads: int
    batch: int
    parameters: Mapping[str, int]


@dataclass(frozen=True, kw_only=True)
class TrainingCase(ModelCase):
    """One training step of a Transformer."""


@dataclass(frozen=True, kw_only=True)
class DecodingCase(ModelCase):
    """Greedy decoding of n tokens for each source, from n source positions.

    One of the sides is our model without its cache, under `RE_DECODING`.
    """

    @property
    def missed(self) -> tuple[str, ...]:
        """Names of the sides against which the aim is missed, our model without cache at last."""
        without = self.ratio.get(RE_DECODING)
        too_slow = without is not None and SPEED_UP * without.q1 > 1
        found = super().missed + ((RE_DECODING,) if too_slow else ())
        return tuple(dict.fromkeys(found))


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
        minutes: what the run took.
        cases: in the order of the run.
    """

    date: str
    base_commit: str
    dirty: bool
    machine: Mapping[str, Any]
    versions: Mapping[str, str]
    threads: int
    clock: str
    memory: str
    minutes: float
    cases: tuple[MeasuredCase, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of positions, rising."""
        return tuple(sorted({case.n for case in self.cases}))

    def select(self, **facts: Any) -> list[Any]:
        """Return the cases with these facts: ``run.select(mask="causal", need_weights=True)``."""
        wanted = facts.items()
        return [case for case in self.cases if all(getattr(case, k) == v for k, v in wanted)]


@dataclass(frozen=True, kw_only=True)
class PeerBenchmark(Benchmark):
    """We against others, in every case against the same ones."""

    cases: tuple[BenchmarkCase, ...]

    @property
    def peers(self) -> tuple[str, ...]:
        """What we are compared with."""
        return tuple(self.cases[0].ratio)

    def _ratios(self, *facts: Mapping[str, Any]) -> dict[str, list[tuple[float, float, float]]]:
        """Return for each peer one ``(q1, median, q3)`` for each case that has the facts."""
        found = [case.ratio for wanted in facts for case in self.select(**wanted)]
        return {
            peer: [(r[peer].q1, r[peer].median, r[peer].q3) for r in found] for peer in self.peers
        }


@dataclass(frozen=True, kw_only=True)
class AttentionBenchmark(PeerBenchmark):
    """Multi-head attention at several lengths, with one batch size, width and number of heads."""

    batch: int
    d_model: int
    heads: int
    cases: tuple[AttentionCase, ...]

    def ratio_panels(self, *, backward: bool) -> Panels:
        """Return the ratios as `bottomup.plotting.ratio_dots` draws them.

        One panel for each mask, without and with weights; in it for each peer one
        ``(q1, median, q3)`` for each of `sizes`.
        """
        words = {False: "without weights", True: "with weights"}
        panels = {}
        for need_weights, word in words.items():
            for mask in dict.fromkeys(case.mask for case in self.cases):
                fixed = {"mask": mask, "need_weights": need_weights, "backward": backward}
                panels[f"{mask} mask, {word}"] = self._ratios(
                    *(fixed | {"n": n} for n in self.sizes)
                )
        return panels


@dataclass(frozen=True, kw_only=True)
class TrainingBenchmark(PeerBenchmark):
    """Training steps of Transformers; each case has its own sizes, all have one vocabulary."""

    vocabulary: int
    cases: tuple[TrainingCase, ...]

    @property
    def batches(self) -> tuple[tuple[int, int, int], ...]:
        """Width, sequences and positions of the batches, in the order of the run."""
        return tuple(dict.fromkeys((case.d_model, case.batch, case.n) for case in self.cases))

    def ratio_panels(self) -> Panels:
        """Return the ratios as `bottomup.plotting.ratio_dots` draws them.

        One panel for each number of layers; in it for each peer one ``(q1, median, q3)`` for each
        of `batches`.
        """
        names = ("d_model", "batch", "n")
        return {
            f"{layers} + {layers} layers": self._ratios(
                *({"layers": layers, **dict(zip(names, b, strict=True))} for b in self.batches)
            )
            for layers in dict.fromkeys(case.layers for case in self.cases)
        }


@dataclass(frozen=True, kw_only=True)
class DecodingBenchmark(PeerBenchmark):
    """Greedy decoding by Transformers; each case has its own sizes, all have one vocabulary."""

    vocabulary: int
    cases: tuple[DecodingCase, ...]

    def ratio_panels(self) -> Panels:
        """Return the ratios as `bottomup.plotting.ratio_dots` draws them.

        One panel for each number of tokens; in it for each side one ``(q1, median, q3)`` for each
        case, in the order of the run.
        """
        return {f"{n} tokens": self._ratios({"n": n}) for n in self.sizes}
