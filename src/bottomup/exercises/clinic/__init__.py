"""Exercises of chapter 11, the clinic: its instruments, and what they exclude."""

NUMBER = "11"
EXERCISES = (
    "recounted-loss",
    "neighbour-in-the-batch",
    "weights-examined",
    "beam-recounted",
    "what-is-left",
)
BEDS = 14  # of the ward, which `progress` counts

__all__ = ["BEDS", "EXERCISES", "NUMBER"]
