"""Exercises of chapter 02b, attention inside one sentence before the Transformer."""

NUMBER = "02b"
EXERCISES = ("intra-attention",)

__all__ = ["EXERCISES", "NUMBER"]
