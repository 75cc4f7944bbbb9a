"""Chapter 01: names in the claims of the translation experiments."""

from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return the steps of additive attention, and the range of the longest sentences."""
    variants, bins = record.config["variants"], record.config["bins"]
    additive = next(name for name in variants if name.startswith("bahdanau_"))
    return {"steps": additive.rpartition("_")[2], "longest": bins[-1]}
