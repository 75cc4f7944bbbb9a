"""Exercises of chapter 01b, local and hard attention: one module an exercise."""

from bottomup.exercises.local_and_hard_attention.local_p_window import LOCAL_P_WINDOW
from bottomup.exercises.local_and_hard_attention.reinforce_loss import REINFORCE_LOSS

EXERCISES = (LOCAL_P_WINDOW, REINFORCE_LOSS)  # as in the chapter

__all__ = ["EXERCISES"]
