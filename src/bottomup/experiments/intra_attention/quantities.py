"""Chapter 02b: names and numbers in the claims about attention inside one sentence."""

from statistics import fmean
from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return the numbers of things that are asked for, and shares of colours that are named."""
    few, most, beyond = record.config["asked"]

    def named(network: str, things: int) -> float:
        return fmean(record.metric(f"{network}.accuracy.{things}"))

    return {
        "few": few,
        "most": most,
        "beyond": beyond,
        "named": {network: named(network, most) for network in ("no_recurrence", "lstmn")},
        "smaller_named": min(named("reads_itself", things) for things in (few, most)),
    }


def gain(record: Record, things: str) -> tuple[float, ...]:
    """Return how much more of so many colours an LSTM names that reads its own past, as a share."""
    reads, without = (
        record.metric(f"{network}.accuracy.{things}") for network in ("reads_itself", "lstm")
    )
    return tuple(a - b for a, b in zip(reads, without, strict=True))


def wrong(record: Record, accuracy: str) -> tuple[float, ...]:
    """Return the share of answers that are not right."""
    return tuple(1 - right for right in record.metric(accuracy))
