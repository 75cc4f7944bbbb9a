"""Exercises of chapter 11, the clinic: its instruments, and what they exclude."""

NUMBER = "11"
EXERCISES = (
    "recounted-loss",
    "neighbour-in-the-batch",
    "weights-examined",
    "beam-recounted",
    "what-is-left",
)

__all__ = ["EXERCISES", "NUMBER"]
