"""Exercises of chapter 10b, a decoder of today."""

NUMBER = "10b"
EXERCISES = (
    "rotary-step",
    "grouped-queries",
    "rms-norm",
)

__all__ = ["EXERCISES", "NUMBER"]
