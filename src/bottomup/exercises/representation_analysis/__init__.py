"""Exercises of chapter 08, what the layers hold: one module an exercise."""

from bottomup.exercises.representation_analysis.mlm_corruption import MLM_CORRUPTION
from bottomup.exercises.representation_analysis.mutual_information import MUTUAL_INFORMATION
from bottomup.exercises.representation_analysis.neighbour_identity import NEIGHBOUR_IDENTITY
from bottomup.exercises.representation_analysis.pwcca import PWCCA_WEIGHTS
from bottomup.exercises.representation_analysis.rank_interventions import RANK_INTERVENTIONS
from bottomup.exercises.representation_analysis.whitening import WHITENING

# in the order of the chapter
EXERCISES = (
    MLM_CORRUPTION,
    MUTUAL_INFORMATION,
    WHITENING,
    PWCCA_WEIGHTS,
    NEIGHBOUR_IDENTITY,
    RANK_INTERVENTIONS,
)

__all__ = ["EXERCISES"]
