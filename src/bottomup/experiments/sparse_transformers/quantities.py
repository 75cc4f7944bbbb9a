"""Chapter 07: names in the claims on what sparse attention computes."""

from typing import Any

from bottomup.experiments.engine.record import Record


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
