"""Exercises of chapter 03, multi-head attention."""

NUMBER = "03"
EXERCISES = (
    "split-merge-heads",
    "multi-head-attention",
    "two-heads-by-hand",
    "prune-head",
)

__all__ = ["EXERCISES", "NUMBER"]
