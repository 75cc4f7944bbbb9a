"""Chapter 04: names in the claims on computed features."""

from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return pairs of neurons, and the variants of the densest and of the sparsest features."""
    first, *_others, last = record.config["sparsities"]
    return {
        "pairs": record.config["neurons"] // 2,
        "sparsest": last,
        "dense": f"{100 * first:.0f}",
        "sparse": f"{100 * last:.0f}",
    }
