"""Exercises of chapter 01b, local and hard attention."""

NUMBER = "01b"
EXERCISES = ("local-p-window", "reinforce-loss")

__all__ = ["EXERCISES", "NUMBER"]
