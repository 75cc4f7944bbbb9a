"""Time several ways to compute one thing, so that their ratios can be trusted on a busy machine.

All sides run in every round, in an order drawn anew, so that a machine that slows down slows all
of them. A ratio is taken within a round; its median and quartiles are over the rounds.

Seconds are processor time of this process. On one thread and an idle machine that is the time on
the wall; on a busy machine it leaves out the time in which other programs ran.
"""

import gc
import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

Result = TypeVar("Result")
Run = Callable[[], Result]


def seconds_of(run: Run[object]) -> float:
    """Return the processor time of one run. What it returns is freed after the clock stops."""
    start = time.process_time()
    result = run()
    elapsed = time.process_time() - start
    del result
    return elapsed


def interleave(
    runs: Mapping[str, Run[object]],
    rounds: int,
    *,
    warm_up: int = 1,
    seed: int = 0,
    timer: Callable[[Run[object]], float] = seconds_of,
) -> dict[str, list[float]]:
    """Return each side's seconds, round by round; the rounds of warm-up come first and are dropped.

    Python's garbage collector rests meanwhile, as in `timeit`.
    """
    order, generator = list(runs), random.Random(seed)
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    was_on = gc.isenabled()
    gc.disable()
    try:
        for _ in range(warm_up + rounds):
            generator.shuffle(order)
            for name in order:
                seconds[name].append(timer(runs[name]))
    finally:
        if was_on:
            gc.enable()
    return {name: measured[warm_up:] for name, measured in seconds.items()}


def ratios(ours: Sequence[float], theirs: Sequence[float]) -> list[float]:
    """Return ours / theirs of each round: below 1 ours is faster."""
    return [mine / its for mine, its in zip(ours, theirs, strict=True)]


def spread(values: Sequence[float]) -> dict[str, float]:
    """Return the median and the quartiles, to four significant digits."""
    low, middle, high = (
        statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else [*values] * 3
    )
    named = {"median": middle, "q1": low, "q3": high}
    return {name: float(f"{value:.4g}") for name, value in named.items()}
