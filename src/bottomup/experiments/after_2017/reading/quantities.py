"""Chapter 10: numbers in the claims of the experiment on BERT."""

from operator import sub
from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return where the numbers for few labelled sentences stand, and those for more."""
    few, more = (f"both_sides.classes.labels_{count}" for count in record.config["labelled"])
    return {"few": few, "more": more}


def mean_gain(record: Record, one: str, other: str) -> tuple[float, ...]:
    """Share of words whose class a probe tells, of one network less another; few and more, mean."""
    few, more = (
        map(sub, record.metric(f"{where}.probe.{one}"), record.metric(f"{where}.probe.{other}"))
        for where in names(record).values()
    )
    return tuple((a + b) / 2 for a, b in zip(few, more, strict=True))
