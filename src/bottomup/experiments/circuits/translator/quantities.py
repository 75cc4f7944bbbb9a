"""Chapter 09: numbers in the claims of the experiment on the translator."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return the number of parts that a logit is made of."""
    layers, heads = record.config["layers"], record.config["num_heads"]
    return {"parts": 1 + layers * (2 * (heads + 1) + 1)}  # embedding; heads, their biases, an MLP


def smallest(record: Record, path: str) -> tuple[float, ...]:
    """The smallest number in a table by kind, of one part or of several, in its unit."""
    return tuple(min(_numbers(table)) for table in record.metric(path))


def largest(record: Record, path: str) -> tuple[float, ...]:
    """The largest number in a table by kind, of one part or of several, in its unit."""
    return tuple(max(_numbers(table)) for table in record.metric(path))


def average(record: Record, path: str) -> tuple[float, ...]:
    """Mean over the kinds of a table, in its unit."""
    return tuple(sum(table.values()) / len(table) for table in record.metric(path))


def strongest_head_at_most(record: Record, *kinds: str) -> tuple[float, ...]:
    """Mean patching effect of the strongest crossing head, the largest over some kinds."""
    return tuple(map(max, _strongest(record, kinds)))


def strongest_head_at_least(record: Record, *kinds: str) -> tuple[float, ...]:
    """Mean patching effect of the strongest crossing head, the smallest over some kinds."""
    return tuple(map(min, _strongest(record, kinds)))


def _numbers(table: Mapping[str, Any]) -> Iterator[float]:
    for value in table.values():
        if isinstance(value, Mapping):
            yield from _numbers(value)
        else:
            yield value


def _strongest(record: Record, kinds: Sequence[str]) -> Iterator[list[float]]:
    for parts in record.metric("patching.effect"):
        heads = [table for name, table in parts.items() if name.startswith("cross_")]
        yield [max(table[kind] for table in heads) for kind in kinds]
