"""Chapter 05: the Transformer and the GRU at equal time."""

import math
from collections.abc import Sequence
from statistics import fmean
from typing import Any

import numpy as np

from bottomup.experiments.encoder_decoder.config import Trained
from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return the trainings after the sweep's steps and the fewest, the best rates, and chance."""
    config, budgets = record.config, _budgets(record)
    steps, longest = config["sweep_steps"], _longest(record)
    best, best_of_longest = _best(record, "exact"), _best(record, f"exact_by_length.{longest}")
    return {
        "gru": _name(record, "gru", steps),
        "gru_least": _name(record, "gru", budgets[0]),
        "transformer": _name(record, "transformer", steps),
        "best": best.name,
        "best_rate": best.rate,
        "best_of_longest": best_of_longest.name,
        "best_of_longest_rate": best_of_longest.rate,
        "least": budgets[0],
        "most": budgets[-1],
        "longest": longest,
        "chance": 1 / config["probe_length"],
    }


def _budgets(record: Record) -> list[int]:
    return sorted({*record.config["budgets"], record.config["sweep_steps"]})


def _name(record: Record, kind: str, steps: int) -> str:
    return Trained(kind, record.config[f"{kind}_rate"], steps).name


def _longest(record: Record) -> str:
    shortest, longest = record.config["bins"][-1]
    return f"{shortest}-{longest}"


def _best(record: Record, metric: str) -> Trained:
    """Return the Transformer of the sweep whose metric is the largest."""
    config = record.config
    swept = (Trained("transformer", rate, config["sweep_steps"]) for rate in config["rates"])
    return max(swept, key=lambda each: fmean(record.metric(f"{each.name}.{metric}")))


def at_time(seconds: float, times: Sequence[float], values: Sequence[float]) -> float:
    """Interpolate a curve linearly in ``log(seconds)``; beyond its ends it keeps their values.

    Args:
        seconds: where to read the curve, above 0.
        times: seconds at which it was measured, in any order.
        values: what was measured there.
    """
    order = np.argsort(times)
    at, curve = np.log(np.asarray(times)[order]), np.asarray(values)[order]
    return float(np.interp(math.log(seconds), at, curve))


def ahead(record: Record, steps: str, metric: str) -> tuple[float, ...]:
    """Return the Transformer's share less the GRU's at equal processor time.

    The time is what the GRU takes for `steps` steps at its best rate. The Transformer's curve goes
    through its budgets at its best rate.
    """
    gru = _name(record, "gru", int(steps))
    names = [_name(record, "transformer", budget) for budget in _budgets(record)]
    times = zip(*(record.metric(f"{name}.cpu_seconds") for name in names), strict=True)
    curves = zip(*(record.metric(f"{name}.{metric}") for name in names), strict=True)
    of_gru = zip(record.metric(f"{gru}.cpu_seconds"), record.metric(f"{gru}.{metric}"), strict=True)
    return tuple(
        at_time(seconds, its_times, curve) - value
        for (seconds, value), its_times, curve in zip(of_gru, times, curves, strict=True)
    )
