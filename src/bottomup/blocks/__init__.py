"""Blocks: the parts of a Transformer that are not attention."""

from bottomup.blocks.positional_encoding import (
    LearnedPositions,
    SinusoidalPositions,
    rotate_positions,
    sinusoidal_positions,
)

__all__ = [
    "LearnedPositions",
    "SinusoidalPositions",
    "rotate_positions",
    "sinusoidal_positions",
]
