"""Chapter 08: to which of LM and MLM the masked model lies nearer that reads the left side alone.

It shares its objective with MLM and its direction with LM.
"""

from bottomup.experiments.engine.entries import Values
from bottomup.experiments.engine.record import Record
from bottomup.experiments.representation_analysis.quantities import over_layers


def nearer(record: Record, path: str) -> Values:
    """Return the distance from LM less that from MLM, in the unit of what stands under a path."""
    networks = ("lm", "mlm_left", "mlm")
    lm, left, both = (over_layers(record, f"{network}.{path}") for network in networks)
    return tuple(abs(b - a) - abs(b - c) for a, b, c in zip(lm, left, both, strict=True))
