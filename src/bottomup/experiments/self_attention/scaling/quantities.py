"""Chapter 02: names and numbers in the claims about scaling in training."""

from typing import Any

from bottomup.experiments.engine.record import Record

NARROW = 16  # the width of the second claim, where it is among those measured


def names(record: Record) -> dict[str, Any]:
    """Return two of the widths, and the layers that have them."""
    widths = record.config["widths"]
    chosen = {"widest": widths[-1], "narrow": NARROW if NARROW in widths else widths[0]}
    layers = {
        f"{kind}_{name}": f"{kind}_{width}"
        for kind in ("scaled", "unscaled")
        for name, width in chosen.items()
    }
    return chosen | layers


def wrong(record: Record, accuracy: str) -> tuple[float, ...]:
    """Return the share of answers that are not right."""
    return tuple(1 - right for right in record.metric(accuracy))
