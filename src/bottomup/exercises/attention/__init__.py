"""Exercises of chapter 01, attention before the Transformer."""

NUMBER = "01"
EXERCISES = ("bahdanau-step", "additive-score", "masked-softmax", "general-score", "aer")

__all__ = ["EXERCISES", "NUMBER"]
