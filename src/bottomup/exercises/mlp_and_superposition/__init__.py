"""Exercises of chapter 04, the block and superposition."""

NUMBER = "04"
EXERCISES = (
    "layer-norm",
    "residual-wiring",
    "ffn-as-memory",
    "superposition-loss",
    "feature-dimensions",
    "topk-sae-step",
)

__all__ = ["EXERCISES", "NUMBER"]
