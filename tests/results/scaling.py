"""Benchmarks of scaling with known numbers, for the tests of this folder."""

import math

from bottomup.results import ScalingBenchmark, ScalingCase, Spread
from bottomup.results.speed_scaling import CAUSAL, FIXED, MASKED, STRIDED


def spread(middle: float) -> Spread:
    return Spread(median=middle, q1=middle / 2, q3=middle * 4)


def case(n: int, seconds: dict[str, float], *, backward: bool = False, rows: int = 1, **facts):
    """A case in which a side took so long, and holds one MiB for every second."""
    found = {
        "n": n,
        "rows": rows,
        "backward": backward,
        "rounds": 5,
        "stride": math.isqrt(n),
        "largest_difference": {side: {"output": 1e-7} for side in seconds},
        "seconds": {side: spread(value) for side, value in seconds.items()},
        "speed_up": {s: spread(seconds[CAUSAL] / v) for s, v in seconds.items() if s != CAUSAL},
        "peak_bytes": {side: round(value * 2**20) for side, value in seconds.items()},
        "first_call": {},
        "left_out": {},
    }
    return ScalingCase(**{**found, **facts})


def benchmark(*cases: ScalingCase) -> ScalingBenchmark:
    return ScalingBenchmark(
        date="2025-01-02T03:04:05+00:00",
        base_commit="0" * 40,
        dirty=False,
        machine={},
        versions={},
        threads=1,
        clock="",
        memory="",
        minutes=7.0,
        d_head=5,
        cases=cases,
    )


def power(n: int) -> dict[str, float]:
    """Causal attention that grows with the square, and strided with the power 1.5."""
    return {CAUSAL: 3 * n**2, STRIDED: 48 * n**1.5, FIXED: 7 * n**1.5, MASKED: 9 * n**2}
