"""Exercises of chapter 05, the encoder and the decoder: one module an exercise."""

from bottomup.exercises.encoder_decoder.cross_attention import CROSS_ATTENTION_WIRING
from bottomup.exercises.encoder_decoder.label_smoothing import LABEL_SMOOTHING
from bottomup.exercises.encoder_decoder.residual_position_probe import RESIDUAL_POSITION_PROBE
from bottomup.exercises.encoder_decoder.scaled_embedding import SCALED_EMBEDDING
from bottomup.exercises.encoder_decoder.shift_right import SHIFT_RIGHT

# in the order of the chapter
EXERCISES = (
    SCALED_EMBEDDING,
    RESIDUAL_POSITION_PROBE,
    SHIFT_RIGHT,
    CROSS_ATTENTION_WIRING,
    LABEL_SMOOTHING,
)

__all__ = ["EXERCISES"]
