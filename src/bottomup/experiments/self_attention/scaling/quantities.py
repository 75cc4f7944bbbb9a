"""Chapter 02: names in the claims about scaling in training."""

from typing import Any

from bottomup.experiments.engine.record import Record

NARROW = 16  # the width of the second claim, where it is among those measured


def names(record: Record) -> dict[str, Any]:
    """Return two of the widths."""
    widths = record.config["widths"]
    return {"widest": widths[-1], "narrow": NARROW if NARROW in widths else widths[0]}
