"""Chapter 04: which setting of a sweep the claims on sparse autoencoders read."""

from collections.abc import Callable
from statistics import fmean
from typing import Any

from bottomup.experiments.engine.record import Record

MARGIN = 0.3  # of the claims
SWEEPS = ((40, "l1"), (80, "topk"), (80, "l1"))


def names(record: Record) -> dict[str, Any]:
    """Return of each sweep the paths of two settings, and what the texts say of them.

    The settings are the one that is chosen without the truth, and the best one against it.
    """
    config = record.config
    found: dict[str, Any] = {}
    for features, kind in SWEEPS:
        if features not in config["features"]:
            continue
        sweep = f"{features}_to_{config['dimensions']}.{kind}"
        settings = {"chosen": chosen(record, sweep), "best": best(record, sweep)}
        count, total = held(record, sweep)
        found[f"{kind}_{features}"] = {
            "units": features * config["sizes"][0],
            "held": count,
            "of": total,
            **{name: float(setting) for name, setting in settings.items()},
        }
        for name, setting in settings.items():
            found[f"{name}_{kind}_{features}"] = f"{sweep}.{setting}.{_sizes(record)[0]}"
    return found


def chosen(record: Record, sweep: str) -> str:
    """Return the setting whose two smallest dictionaries agree most, on average over seeds."""
    return _largest(record, sweep, lambda setting: f"{setting}.agreement")


def best(record: Record, sweep: str) -> str:
    """Return the setting whose smallest dictionary is best against the truth."""
    return _largest(record, sweep, lambda setting: f"{setting}.{_sizes(record)[0]}.gain")


def held(record: Record, sweep: str) -> tuple[int, int]:
    """Return in how many settings and sizes every seed gains more than the margin, and of how many.

    A setting here is a lambda or a k together with a size of dictionary.
    """
    gains = [
        record.metric(f"{sweep}.{setting}.{size}.gain")
        for setting in record.metric(sweep)[0]
        for size in _sizes(record)
    ]
    return sum(min(values) > MARGIN for values in gains), len(gains)


def _largest(record: Record, sweep: str, path: Callable[[str], str]) -> str:
    settings: list[str] = list(record.metric(sweep)[0])
    return max(settings, key=lambda setting: fmean(record.metric(f"{sweep}.{path(setting)}")))


def _sizes(record: Record) -> list[str]:
    return [f"x{size}" for size in record.config["sizes"]]
