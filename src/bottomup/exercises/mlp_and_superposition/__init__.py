"""Exercises of chapter 04, the block and superposition: one module an exercise."""

from bottomup.exercises.mlp_and_superposition.feature_dimensions import FEATURE_DIMENSIONS
from bottomup.exercises.mlp_and_superposition.ffn_as_memory import FFN_AS_MEMORY
from bottomup.exercises.mlp_and_superposition.layer_norm import LAYER_NORM
from bottomup.exercises.mlp_and_superposition.residual_wiring import RESIDUAL_WIRING
from bottomup.exercises.mlp_and_superposition.superposition_loss import SUPERPOSITION_LOSS
from bottomup.exercises.mlp_and_superposition.topk_sae_step import TOPK_SAE_STEP

# in the order of the chapter
EXERCISES = (
    LAYER_NORM,
    RESIDUAL_WIRING,
    FFN_AS_MEMORY,
    SUPERPOSITION_LOSS,
    FEATURE_DIMENSIONS,
    TOPK_SAE_STEP,
)

__all__ = ["EXERCISES"]
