"""What all exercises share: what an exercise is, how it is read, checked and reported on."""

from bottomup.exercises.engine.exercise import (
    Answers,
    Case,
    Inputs,
    Mistake,
    call_with_inputs,
    compare_values,
)

__all__ = [
    "Answers",
    "Case",
    "Inputs",
    "Mistake",
    "call_with_inputs",
    "compare_values",
]
