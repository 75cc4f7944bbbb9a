"""Chapter 04: names in the claims on features that go together, or never do."""

from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return the number of seeds, and how often right angles are chance in all of them, in %."""
    seeds = len(record.seeds)
    return {"seeds": seeds, "chance": 100 * (2 / 3) ** seeds}
