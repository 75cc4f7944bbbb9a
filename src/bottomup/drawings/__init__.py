"""Drawings of the mechanisms, one module for each chapter: inline SVG in the page's own colours.

A cell shows one by ending with it: ``multi_head_attention.split_and_merge()``. Each function
returns a `Drawing`.
"""

from bottomup.drawings.engine.canvas import Box, Canvas, Point, Wide
from bottomup.drawings.engine.drawing import Drawing, Picture, left_open

__all__ = ["Box", "Canvas", "Drawing", "Picture", "Point", "Wide", "left_open"]
