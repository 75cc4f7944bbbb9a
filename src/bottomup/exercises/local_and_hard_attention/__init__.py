"""Exercises of chapter 01b, local and hard attention."""

NUMBER = "01b"
EXERCISES = (
    "input-feeding",
    "local-p-window",
    "read-one-word",
    "reinforce-loss",
    "straight-through",
)

__all__ = ["EXERCISES", "NUMBER"]
