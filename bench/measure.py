"""Compare, time and weigh several ways to compute one thing.

All sides run in every round, in an order drawn anew, so that a machine that slows down slows all
of them. A ratio is taken within a round; its median and quartiles are over the rounds. Seconds are
processor time: on a busy machine that leaves out the time in which other programs ran.
"""

import gc
import os
import platform
import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor
from torch.profiler import ProfilerActivity, profile

from bottomup.experiments.engine.provenance import base_commit, is_dirty, processor
from bottomup.results.speed import SCHEMA, X_TRANSFORMERS

# Else the profiler announces each start and stop. It reads this when it is used for the first time.
os.environ.setdefault("KINETO_LOG_LEVEL", "6")

SHORT = 0.1  # seconds
TOLERANCE = {torch.float32: 1e-4, torch.float64: 1e-10}  # of the largest number
HAS_PEER = find_spec("x_transformers") is not None

Run = Callable[[], object]
Named = Mapping[str, Tensor]


@dataclass(frozen=True)
class Side:
    """One way to compute something.

    Args:
        run: what is timed.
        computed: what is compared, by name.
        expected: what that should be; without it, what the first side computes.
    """

    run: Run
    computed: Callable[[], Named]
    expected: Callable[[], Named] | None = None


@dataclass(frozen=True)
class Comparison:
    """What a file of benchmarks is made of.

    Args:
        cases: the rounds of each, and its facts, from which the sides are made.
        sides: makes the sides of a case in a dtype.
        compared_in: the dtype in which they have to agree; they are timed in float32.
    """

    cases: Sequence[tuple[int, Mapping[str, Any]]]
    sides: Callable[..., dict[str, Side]]
    compared_in: torch.dtype = torch.float64


def measure(comparison: Comparison, rounds: int, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return a case as the file has it: agreement, seconds, ratios, peak memory."""
    dtype = comparison.compared_in
    sides = comparison.sides(dtype, **facts)
    away = differences(sides, TOLERANCE[dtype])
    if dtype != torch.float32:
        sides = comparison.sides(torch.float32, **facts)
    seconds = interleave({name: side.run for name, side in sides.items()}, rounds)
    first, *others = sides
    return {
        **facts,
        "rounds": rounds,
        "difference": away,
        "seconds": {name: spread(found) for name, found in seconds.items()},
        "ratio": {name: spread(ratios(seconds[first], seconds[name])) for name in others},
        "peak_bytes": {name: peak_bytes(side.run) for name, side in sides.items()},
    }


def differences(sides: Mapping[str, Side], tolerance: float) -> dict[str, float]:
    """Return the largest difference of each side from what it should compute.

    Raises:
        RuntimeError: a side computes something else, so that comparing times would mean nothing.
    """
    found, first = {}, next(iter(sides.values()))
    reference = first.computed()
    for name, side in sides.items():
        if side is first and side.expected is None:
            continue
        wanted = side.expected() if side.expected else reference
        got = side.computed()
        away = max(difference(got[part], right) for part, right in wanted.items())
        if not away <= tolerance:
            raise RuntimeError(f"{name} computes something else: {away:.1e} of the largest number")
        found[name] = float(f"{away:.1e}")
    return found


def difference(got: Tensor, wanted: Tensor) -> float:
    """Return the largest difference in units of the largest number wanted."""
    if got.shape != wanted.shape:
        return float("inf")
    return float((got - wanted).abs().max() / wanted.abs().max())


def interleave(
    runs: Mapping[str, Run], rounds: int, timer: Callable[[Run], float] | None = None
) -> dict[str, list[float]]:
    """Return each side's seconds, round by round; a first round warms up and is dropped.

    Python's garbage collector rests meanwhile, as in `timeit`.
    """
    order, generator = list(runs), random.Random(0)
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    was_on = gc.isenabled()
    gc.disable()
    try:
        for _ in range(1 + rounds):
            generator.shuffle(order)
            for name in order:
                seconds[name].append((timer or settled)(runs[name]))
    finally:
        if was_on:
            gc.enable()
    return {name: measured[1:] for name, measured in seconds.items()}


def settled(run: Run) -> float:
    """Return the processor time of a run; of a short one that of the second of two in a row.

    The allocator gives memory back to the system after a side that needs much. A side that takes a
    millisecond would then be timed at getting it again.
    """
    seconds = seconds_of(run)
    return seconds_of(run) if seconds < SHORT else seconds


def seconds_of(run: Run) -> float:
    """Return the processor time of one run. What it returns is freed after the clock stops."""
    start = time.process_time()
    result = run()
    elapsed = time.process_time() - start
    del result
    return elapsed


def ratios(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    """Return ours / theirs of each round: below 1 ours is faster."""
    return [mine / its for mine, its in zip(ours, theirs, strict=True)]


def spread(values: Sequence[float]) -> dict[str, float]:
    """Return the median and the quartiles, to four significant digits."""
    several = values if len(values) > 1 else [*values] * 2
    low, middle, high = statistics.quantiles(several, n=4, method="inclusive")
    named = {"median": middle, "q1": low, "q3": high}
    return {name: float(f"{value:.4g}") for name, value in named.items()}


def peak_bytes(run: Run) -> int:
    """Return the most bytes that tensors made by `run` held at one moment on the CPU.

    What stood before (weights, inputs, masks) does not count; outputs and gradients do. Torch's
    profiler tells it exactly, but for buffers that a matrix library allocates past torch.
    """
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiled:
        _result = run()  # kept until the profiler stops: freeing it is no event
    held = peak = 0
    events = profiled.profiler.kineto_results.events()
    for event in sorted(events, key=lambda event: event.start_ns()):
        if event.name() == "[memory]" and event.device_type().name == "CPU":
            held += event.nbytes()
            peak = max(peak, held)
    return peak


def provenance() -> dict[str, Any]:
    """Return machine, versions, commit and time of a run that starts now."""
    packages = ("torch", X_TRANSFORMERS) if HAS_PEER else ("torch",)
    return {
        "schema": SCHEMA,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "base_commit": base_commit(),
        "dirty": is_dirty(),
        "machine": {
            "processor": processor(),
            "cores": os.cpu_count(),
            "system": f"{platform.system()} {platform.machine()}",
            "load_at_start": round(os.getloadavg()[0], 2),
        },
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in packages},
        },
        "threads": torch.get_num_threads(),
    }
