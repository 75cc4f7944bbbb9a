"""Exercises of chapter 02b, attention inside one sentence before the Transformer."""

from bottomup.exercises.intra_attention.intra_attention import INTRA_ATTENTION

EXERCISES = (INTRA_ATTENTION,)

__all__ = ["EXERCISES"]
