"""Chapter 10b: names in the claim on distances."""

from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return the longest trained distance, and the ends of the last stretch."""
    *_others, before, last = record.config["stretches"]
    return {"longest_trained": record.config["length"] - 1, "last_from": before + 1, "last": last}
