"""Exercises of chapter 08, what the layers hold: one module an exercise."""

from bottomup.exercises.representation_analysis.mutual_information import MUTUAL_INFORMATION
from bottomup.exercises.representation_analysis.pwcca import PWCCA_WEIGHTS
from bottomup.exercises.representation_analysis.whitening import WHITENING

# in the order of the chapter
EXERCISES = (
    MUTUAL_INFORMATION,
    WHITENING,
    PWCCA_WEIGHTS,
)

__all__ = ["EXERCISES"]
