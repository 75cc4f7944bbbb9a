"""Chapter 06: how far two translators are apart."""

from bottomup.experiments.engine.record import Record


def apart(record: Record, one: str, other: str) -> tuple[float, ...]:
    """Return how far the BLEU of greedy translations of two translators is apart."""
    ones, others = record.metric(f"{one}.greedy.bleu"), record.metric(f"{other}.greedy.bleu")
    return tuple(abs(a - b) for a, b in zip(ones, others, strict=True))
