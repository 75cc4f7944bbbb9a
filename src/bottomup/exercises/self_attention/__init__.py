"""Exercises of chapter 02, self-attention."""

NUMBER = "02"
EXERCISES = (
    "scaled-dot-product-attention",
    "causal-mask",
    "find-the-leak",
    "sinusoidal-positions",
    "temperature",
)

__all__ = ["EXERCISES", "NUMBER"]
