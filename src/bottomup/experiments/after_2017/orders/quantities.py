"""Chapter 10: numbers in the claims of the experiment on orders."""

from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return the nats of the two tables that the networks are held against, as text."""
    joint, product = (
        f"{record.metric(f'new_york.{table}.nats')[0]:.2f}" for table in ("joint", "independent")
    )
    return {"joint": joint, "product": product}


def smaller(record: Record, one: str, other: str) -> tuple[float, ...]:
    """The smaller of two measures, in their unit."""
    return tuple(map(min, record.metric(one), record.metric(other)))
