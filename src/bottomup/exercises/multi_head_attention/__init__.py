"""Exercises of chapter 03, multi-head attention."""

NUMBER = "03"
EXERCISES = (
    "split-merge-heads",
    "multi-head-attention",
    "lin-penalty",
    "two-heads-by-hand",
    "prune-head",
)

__all__ = ["EXERCISES", "NUMBER"]
