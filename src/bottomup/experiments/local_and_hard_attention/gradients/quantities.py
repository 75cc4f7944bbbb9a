"""Chapter 01b: names and numbers in the claims about gradient estimators."""

from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return the lowest temperature, its estimates, the steps, and the last length evaluated."""
    lowest = min(record.config["temperatures"])
    soft = next(name for name in record.config["variants"] if name.startswith("soft_"))
    return {
        "lowest": lowest,
        "coldest": "estimators." + f"gumbel_{lowest:g}".replace(".", "_"),
        "steps": soft.rpartition("_")[2],
        "longest": record.config["lengths"][-1],
    }


def largest_miss(record: Record) -> tuple[float, ...]:
    """Return the squared distance of the mean of REINFORCE over chance's, at the worst baseline."""
    names = ("reinforce", "reinforce_best", "reinforce_moving")
    each = (record.metric(f"estimators.{name}.missed_by_chance") for name in names)
    return tuple(map(max, zip(*each, strict=True)))


def behind_at_longest(record: Record) -> tuple[float, ...]:
    """Return the share of digits that hard attention is behind by, at the last length evaluated."""
    filled = names(record)
    soft, hard = (
        record.metric(f"{kind}_{filled['steps']}.accuracy.{filled['longest']}")
        for kind in ("soft", "gumbel")
    )
    return tuple(a - b for a, b in zip(soft, hard, strict=True))
