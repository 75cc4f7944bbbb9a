"""Chapter 02: names in the claims of the main experiment."""

from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return the widest keys, and how often a position is told rightly by chance."""
    chance = 1 / record.config["positions"]
    return {"widest": max(record.config["widths"]), "chance": chance, "twice_chance": 2 * chance}
