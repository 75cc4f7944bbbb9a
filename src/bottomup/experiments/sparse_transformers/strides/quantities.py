"""Chapter 07: names and the quantity in the claim on strides beside the row."""

from statistics import fmean
from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return the strides beside the row; bits and scores of these and of the row's, in words."""
    strides = [*_others(record), record.config["digits"]["row"]]
    bits, scores = (
        [fmean(record.metric(f"stride_{stride}.{of}")) for stride in strides]
        for of in ("bits", "scores")
    )
    return {
        "others": ", ".join(map(str, _others(record))),
        "bits": ", ".join(f"{each:.3f}" for each in bits),
        "scores": ", ".join(f"{each:,.0f}" for each in scores),
    }


def gain(record: Record) -> tuple[float, ...]:
    """Return the bits a grey level of the best stride beside the row, less those of the row's."""
    bits = (record.metric(f"stride_{stride}.bits") for stride in _others(record))
    own = record.metric(f"stride_{record.config['digits']['row']}.bits")
    return tuple(min(others) - row for *others, row in zip(*bits, own, strict=True))


def _others(record: Record) -> list[int]:
    return [record.config["digits"]["row"] + step for step in record.config["away"]]
