"""Exercises of chapter 10, after 2017."""

NUMBER = "10"
EXERCISES = (
    "next-sentence-pairs",
    "memory-update",
    "four-terms",
    "relative-shift",
    "two-stream-masks",
    "joint-likelihood",
)

__all__ = ["EXERCISES", "NUMBER"]
