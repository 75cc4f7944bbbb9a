"""Exercises of chapter 07, sparse Transformers."""

NUMBER = "07"
EXERCISES = (
    "strided-sets",
    "fixed-sets",
    "blocked-local",
    "column-attention",
    "merge-softmaxes",
    "recompute",
)

__all__ = ["EXERCISES", "NUMBER"]
