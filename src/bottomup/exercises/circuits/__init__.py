"""Exercises of chapter 09, circuits."""

NUMBER = "09"
EXERCISES = (
    "qk-and-ov",
    "copying-score",
    "prefix-matching-score",
    "induction-by-hand",
    "patch-one-head",
    "direct-attribution",
)

__all__ = ["EXERCISES", "NUMBER"]
