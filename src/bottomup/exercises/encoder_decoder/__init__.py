"""Exercises of chapter 05, the encoder and the decoder."""

NUMBER = "05"
EXERCISES = (
    "scaled-embedding",
    "residual-position-probe",
    "shift-right",
    "cross-attention-wiring",
    "label-smoothing",
)

__all__ = ["EXERCISES", "NUMBER"]
