"""Chapter 09: numbers in the claims of the experiment on induction."""

from collections.abc import Iterator
from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return the share that a uniform guess gets right, and what random maps compose."""
    config = record.config
    return {"chance": 1 / config["symbols"], "by_chance": config["d_model"] ** -0.5}


def smallest_of_heads(record: Record, training: str, layer: str, score: str) -> tuple[float, ...]:
    """The smallest score among the heads of a layer."""
    return tuple(map(min, _scores(record, training, layer, score)))


def largest_of_heads(record: Record, training: str, layer: str, score: str) -> tuple[float, ...]:
    """The largest score among the heads of a layer."""
    return tuple(map(max, _scores(record, training, layer, score)))


def _scores(record: Record, training: str, layer: str, score: str) -> Iterator[list[float]]:
    for heads in record.metric(f"{training}.heads"):
        yield [each[score] for name, each in heads.items() if name.startswith(f"{layer}_head_")]
