"""Chapter 08: the main record's quantities on Python's documentation."""

from bottomup.experiments.representation_analysis.quantities import fall, names

__all__ = ["fall", "names"]
