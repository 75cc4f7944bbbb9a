"""Chapter 07: names and quantities in the claims on what sparse attention computes."""

from typing import Any

from bottomup.experiments.engine.record import Record

Values = tuple[float, ...]


def names(record: Record) -> dict[str, Any]:
    """Return the longest length, the pairs j <= i, and layers of stacks."""
    config = record.config
    n, depths, stacks = config["positions"], config["depths"], config["stacks"]
    return {
        "longest": config["lengths"][-1],
        "pairs": n * (n + 1) // 2,
        "layers": ", ".join(map(str, depths)),
        "deepest": depths[-1],
        "few": stacks[0],
        "many": stacks[-1],
    }


def least(record: Record, *paths: str) -> Values:
    """Return the least of some metrics."""
    return tuple(map(min, zip(*map(record.metric, paths), strict=True)))


def most(record: Record, *paths: str) -> Values:
    """Return the largest of some metrics."""
    return tuple(map(max, zip(*map(record.metric, paths), strict=True)))


def unreached(record: Record) -> Values:
    """Return the share of pairs that fixed attention misses, own block first, no residual."""
    return tuple(1 - share for share in record.metric("reach.fixed.first_second.share"))


def kept(record: Record, *stacks: str) -> Values:
    """Return the bytes of the deepest stack with recomputation over those without; the largest."""
    depth = record.config["depths"][-1]
    return most(record, *(f"recompute.{stack}.with_one_layer.{depth}" for stack in stacks))


def at_start(record: Record, path: str, stack: str) -> Values:
    """Return the root mean square in the stack of ``few`` or ``many`` layers, over the embedding's.

    ``path`` is the start and what is measured, such as ``scaled.stream``.
    """
    return record.metric(f"growth.{path}.{names(record)[stack]}")


def change_of_ratio(record: Record) -> Values:
    """Return the change of blocks over embedding from few to many layers, as a factor above 1."""
    return tuple(max(each, 1 / each) for each in record.metric("growth.scaled.blocks_growth"))
