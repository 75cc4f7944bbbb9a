"""Chapter 05: what learned positions leave to gain."""

from bottomup.experiments.engine.record import Record


def missed_by_learned(record: Record) -> tuple[float, ...]:
    """Return the share of symbols that learned positions copy wrongly at the longer length."""
    length = record.config["judged"][1]
    return tuple(1 - value for value in record.metric(f"learned.accuracy.{length}"))
