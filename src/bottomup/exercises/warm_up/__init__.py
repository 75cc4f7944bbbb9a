"""Exercises of chapter 00, the warm-up."""

NUMBER = "00"
EXERCISES = (
    "stable-softmax",
    "padded-cross-entropy",
    "backward-pass",
    "bpe-merge",
    "bits-per-character",
)

__all__ = ["EXERCISES", "NUMBER"]
