"""Exercises of chapter 02, self-attention: one module an exercise."""

from bottomup.exercises.self_attention.causal_mask import CAUSAL_MASK
from bottomup.exercises.self_attention.find_the_leak import FIND_THE_LEAK
from bottomup.exercises.self_attention.scaled_dot_product import SCALED_DOT_PRODUCT
from bottomup.exercises.self_attention.sinusoidal_positions import SINUSOIDAL_POSITIONS
from bottomup.exercises.self_attention.temperature import TEMPERATURE

# in the order of the chapter
EXERCISES = (
    SCALED_DOT_PRODUCT,
    CAUSAL_MASK,
    FIND_THE_LEAK,
    SINUSOIDAL_POSITIONS,
    TEMPERATURE,
)

__all__ = ["EXERCISES"]
