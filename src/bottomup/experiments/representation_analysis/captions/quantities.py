"""Chapter 08: the main record's quantities on captions, and by how much networks beat a guess."""

from bottomup.experiments.engine.entries import Values
from bottomup.experiments.engine.record import Record
from bottomup.experiments.representation_analysis.quantities import (
    NETWORKS,
    fall,
    larger,
    names,
    over_layers,
    smaller,
)

__all__ = ["fall", "larger", "least_learned", "names", "over_layers", "smaller"]


def least_learned(record: Record) -> Values:
    """Return a guess's loss less a network's, the least of the three, in nats a token."""
    return tuple(
        min(
            guess - found[objective]["loss"] for objective, guess in found["frequency_loss"].items()
        )
        for found in record.metric(NETWORKS)
    )
