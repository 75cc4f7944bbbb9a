"""Exercises of chapter 10b, a decoder of today."""

NUMBER = "10b"
EXERCISES = (
    "rotary-step",
    "linear-biases",
    "grouped-queries",
    "rms-norm",
    "sliding-window",
)

__all__ = ["EXERCISES", "NUMBER"]
