"""Exercises of chapter 12, a pretrained model."""

NUMBER = "12"
EXERCISES = (
    "longest-match",
    "another-librarys-layer",
    "persons-part",
    "frozen-head",
    "mean-by-role",
)

__all__ = ["EXERCISES", "NUMBER"]
