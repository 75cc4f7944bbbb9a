"""Figures from arrays."""

from bottomup.plotting.curves import curves
from bottomup.plotting.heat_maps import heat_map
from bottomup.plotting.ratios import ratio_dots
from bottomup.plotting.scaling import scaling_curves
from bottomup.plotting.style import COLORS, use_style

__all__ = ["COLORS", "curves", "heat_map", "ratio_dots", "scaling_curves", "use_style"]


def __dir__() -> list[str]:
    return __all__
