"""Chapter 04: names in the claims on jumps."""

from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return a twentieth of the training in which moves count, in steps."""
    return {"twentieth": (record.config["steps"] - record.config["after"]) / 20}
