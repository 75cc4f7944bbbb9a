"""Chapter 01: names in the claims about short sentences and sources turned round."""

from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return the range of the shortest sentences, as metrics have it, and that of the longest."""
    shortest, *_, longest = record.config["bins"]
    return {"shortest": "{}-{}".format(*shortest), "longest": longest}
