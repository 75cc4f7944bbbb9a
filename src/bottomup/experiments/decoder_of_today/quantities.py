"""Chapter 10b: names and a quantity in the claims on length."""

from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return first positions of stretches, the last of all, and the accuracy of a uniform guess."""
    *_others, before, last = stretches = record.config["stretches"]
    return {
        "second_from": stretches[0] + 1,
        "last_from": before + 1,
        "last": last,
        "chance": 1 / record.config["symbols"],
    }


def lost(record: Record, path: str) -> tuple[float, ...]:
    """Return the share of predictable symbols right in the first stretch, less that in the last."""
    first, *_others, last = record.config["stretches"]
    ends = (record.metric(f"{path}.to_{end:03}") for end in (first, last))
    return tuple(one - other for one, other in zip(*ends, strict=True))
