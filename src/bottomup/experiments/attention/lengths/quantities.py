"""Chapter 01: names and numbers in the claims about short sentences and sources turned round."""

from typing import Any

from bottomup.experiments.engine.record import Record


def names(record: Record) -> dict[str, Any]:
    """Return the ends of the range of the longest sentences."""
    return {"longest": record.config["bins"][-1]}


def gain_on_shortest(record: Record) -> tuple[float, ...]:
    """Return what training on all sentences brings the shortest, with attention, in BLEU."""
    every, short = (
        record.metric("bahdanau_{}.bleu_by_length.{}-{}".format(taught, *record.config["bins"][0]))
        for taught in ("all", "short")
    )
    return tuple(a - b for a, b in zip(every, short, strict=True))
