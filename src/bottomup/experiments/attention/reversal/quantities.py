"""Chapter 01: names in the claim of the reversal of digits."""

from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return the steps of additive attention, and the greatest length evaluated."""
    variants = record.config["variants"]
    additive = next(name for name in variants if name.startswith("bahdanau_"))
    return {"steps": additive.rpartition("_")[2], "longest": max(record.config["lengths"])}
