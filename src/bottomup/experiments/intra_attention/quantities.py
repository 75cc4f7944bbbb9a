"""Chapter 02b: names and numbers in the claims about attention inside one sentence."""

from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return the numbers of things that are asked for."""
    few, most, beyond = record.config["asked"]
    return {"few": few, "most": most, "beyond": beyond}


def gain(record: Record, things: str) -> tuple[float, ...]:
    """Return how much more of so many colours an LSTM names that reads its own past, as a share."""
    reads, without = (
        record.metric(f"{network}.accuracy.{things}") for network in ("reads_itself", "lstm")
    )
    return tuple(a - b for a, b in zip(reads, without, strict=True))
