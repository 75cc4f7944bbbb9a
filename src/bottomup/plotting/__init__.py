"""Figures from arrays."""

from bottomup.plotting.curves import curves
from bottomup.plotting.heat_maps import heat_map
from bottomup.plotting.style import COLORS, use_style

__all__ = ["COLORS", "curves", "heat_map", "use_style"]
