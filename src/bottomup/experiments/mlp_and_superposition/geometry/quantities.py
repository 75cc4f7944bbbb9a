"""Chapter 04: what the claims on toy models compute from the record, and what their texts name."""

from collections.abc import Sequence
from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return the sparsities at which something is claimed, as texts list them."""
    config = record.config
    low, high = config["plateau"]
    last = config["points"] - 1
    grown = [config["sparsest"] ** (place / last) for place in range(last + 1)]
    return {
        "at_pairs": _listed(config["pairs"]),
        "at_pentagons": _listed(config["pentagons"]),
        "at_plateau": ", ".join(f"{each:.2f}" for each in grown if low <= each <= high),
        "number": len(config["sparsities"]),
        "last": config["sparsities"][-1],
    }


def most(record: Record, *paths: str) -> tuple[float, ...]:
    """Largest of some numbers, such as those of the larger models."""
    return tuple(map(max, zip(*map(record.metric, paths), strict=True)))


def _listed(sparsities: Sequence[float]) -> str:
    return ", ".join(f"{sparsity:g}" for sparsity in sparsities)
