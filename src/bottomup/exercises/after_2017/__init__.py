"""Exercises of chapter 10, after 2017."""

NUMBER = "10"
EXERCISES = (
    "memory-update",
    "four-terms",
    "relative-shift",
)

__all__ = ["EXERCISES", "NUMBER"]
