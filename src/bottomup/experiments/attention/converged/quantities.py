"""Chapter 01: names in the claims about longer trainings."""

from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return both numbers of steps, and the ends of the range of the longest sentences."""
    additive = (name for name in record.config["variants"] if name.startswith("bahdanau_"))
    half, whole = (name.rpartition("_")[2] for name in additive)
    return {"half": half, "whole": whole, "longest": record.config["bins"][-1]}
