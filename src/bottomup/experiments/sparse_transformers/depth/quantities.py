"""Chapter 07: names and the quantity in the claims on deep stacks."""

from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return the layers of the shallowest and of the deepest stack."""
    few, *_between, many = record.config["depths"]
    return {"few": few, "many": many}


def gain(record: Record, layers: str) -> tuple[float, ...]:
    """Return the bits a grey level, unscaled less scaled start, of a stack of so many layers."""
    bits = (record.metric(f"{layers}_{start}.bits") for start in ("unscaled", "scaled"))
    return tuple(unscaled - scaled for unscaled, scaled in zip(*bits, strict=True))
