"""Chapter 05: names in the claims on depth, and the largest loss of pre-norm."""

from statistics import fmean
from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return extremes of depth, and what a guess has right of sequences of all lengths."""
    config = record.config
    layers = config["layers"]
    lengths = range(config["min_length"], config["max_length"] + 1)
    tokens = sum(lengths) + len(lengths)
    right = (fmean(record.metric(f"{name}.accuracy")) for name in _pre_cold(record))
    return {
        "shallowest": layers[0],
        "deepest": layers[-1],
        "deepest_stack": config["depths"][-1],
        "count": len(layers),
        "listed": ", ".join(map(str, layers)),
        "accuracies": ", ".join(f"{share:.2f}" for share in right),
        "ends": len(lengths) / tokens,
        "chance": (len(lengths) + sum(lengths) / config["symbols"]) / tokens,
    }


def _pre_cold(record: Record) -> list[str]:
    return [f"pre_cold_{number}" for number in record.config["layers"]]


def largest_of_pre_cold(record: Record) -> tuple[float, ...]:
    """Return the largest loss of pre-norm without warm-up over all depths, in nats a token."""
    losses = (record.metric(f"{name}.loss") for name in _pre_cold(record))
    return tuple(map(max, zip(*losses, strict=True)))
