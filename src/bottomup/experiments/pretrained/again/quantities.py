"""Quantities in the claims on famous people, and on a mean over all positions."""

from typing import Any

from bottomup.experiments.engine.record import Record
from bottomup.experiments.pretrained.quantities import (
    at_the_end,
    beyond_table,
    by_other_mean,
    lost_by_head,
    mean,
    weight_gap,
)

__all__ = [
    "at_the_end",
    "beyond_table",
    "by_other_mean",
    "lost_by_head",
    "mean",
    "names",
    "weight_gap",
]


def names(record: Record) -> dict[str, Any]:
    """Return how many people there are."""
    metrics = record.runs[0]["metrics"]["names"]
    return {"persons": metrics["people"], "two_pieces": metrics["people_of_two_pieces"]}
