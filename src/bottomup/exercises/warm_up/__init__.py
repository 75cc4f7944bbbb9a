"""Exercises of chapter 00, the warm-up."""

NUMBER = "00"
EXERCISES = ("stable-softmax", "padded-cross-entropy", "bpe-merge")

__all__ = ["EXERCISES", "NUMBER"]
