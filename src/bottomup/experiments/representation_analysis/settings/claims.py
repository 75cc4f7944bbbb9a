"""Chapter 08: where a cell of the chapter finds the shares by setting."""

from bottomup.experiments.representation_analysis.settings.quantities import by_setting

__all__ = ["by_setting"]
