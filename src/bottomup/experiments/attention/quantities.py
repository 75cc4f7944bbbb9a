"""Chapter 01: names in the claims of the translation experiments."""

from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return the compared trainings, their steps, and the shortest and longest sentences."""
    variants, bins = record.config["variants"], record.config["bins"]
    fixed, additive = (
        next(variant for variant in variants if variant.startswith(kind))
        for kind in ("none_", "bahdanau_")
    )
    steps = additive.rpartition("_")[2]
    ends = {"shortest": bins[0], "longest": bins[-1]}
    return {"fixed": fixed, "additive": additive, "steps": steps, **ends}
