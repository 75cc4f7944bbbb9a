"""Chapter 01b: names in the claims about gradient estimators."""

from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return the lowest temperature, its estimates, the steps, and the last length evaluated."""
    lowest = min(record.config["temperatures"])
    soft = next(name for name in record.config["variants"] if name.startswith("soft_"))
    return {
        "lowest": lowest,
        "coldest": "estimators." + f"gumbel_{lowest:g}".replace(".", "_"),
        "steps": soft.rpartition("_")[2],
        "longest": record.config["lengths"][-1],
    }
