"""Chapter 04: what the claims on shapes compute from the record, and what their texts name."""

from collections.abc import Iterator
from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return all sparsities of the tetrahedron, as texts list them."""
    sparsities = record.config["sparsities"]["tetrahedron"]
    return {"every": ", ".join(f"{sparsity:g}" for sparsity in sparsities)}


def most(record: Record, table: str, *at: str) -> tuple[float, ...]:
    """Largest of a table's distances at some sparsities, in percent."""
    return tuple(map(max, _distances(record, table, at)))


def least(record: Record, table: str, *at: str) -> tuple[float, ...]:
    """Smallest of a table's distances at some sparsities, in percent, or at all of them."""
    return tuple(map(min, _distances(record, table, at)))


def _distances(record: Record, table: str, at: tuple[str, ...]) -> Iterator[list[float]]:
    return ([by[each] for each in at or by] for by in record.metric(table))
