"""Chapter 10: numbers in the claims of the experiment on memory."""

from operator import sub
from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return the share of right answers by chance in the delayed copy."""
    return {"chance": 1 / record.config["symbols"]}


def gain(record: Record, where: str) -> tuple[float, ...]:
    """Bits a character that a memory of one segment saves in a part of the segments."""
    return tuple(map(sub, *(record.metric(f"text_remembers.at_{n}.{where}") for n in (0, 1))))
