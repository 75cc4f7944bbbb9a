"""Chapter 07: a name and the quantity in the claims on heads and their summaries."""

from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return the summaries of all heads together."""
    text = record.config["text"]
    return {"every": text["summary"] * text["num_heads"]}


def gain(record: Record, half: str) -> tuple[float, ...]:
    """Return the bits a character that distinct sub-blocks save in one half of the blocks."""
    bits = (record.metric(f"{sharing}.{half}") for sharing in ("same", "distinct"))
    return tuple(same - distinct for same, distinct in zip(*bits, strict=True))
