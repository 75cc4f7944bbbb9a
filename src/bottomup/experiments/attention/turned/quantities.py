"""Chapter 01: names in the claims about an encoder of one direction."""

from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return the ends of the range of the longest sentences."""
    return {"longest": record.config["bins"][-1]}
