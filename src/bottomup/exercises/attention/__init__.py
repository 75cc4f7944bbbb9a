"""Exercises of chapter 01, attention before the Transformer: one module an exercise."""

from bottomup.exercises.attention.additive_score import ADDITIVE_SCORE
from bottomup.exercises.attention.alignment_error import ALIGNMENT_ERROR
from bottomup.exercises.attention.general_score import GENERAL_SCORE
from bottomup.exercises.attention.masked_softmax import MASKED_SOFTMAX

EXERCISES = (ADDITIVE_SCORE, MASKED_SOFTMAX, GENERAL_SCORE, ALIGNMENT_ERROR)  # as in the chapter

__all__ = ["EXERCISES"]
