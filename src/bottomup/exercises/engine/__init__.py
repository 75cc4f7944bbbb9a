"""What all exercises share: what an exercise is, how it is read, checked and reported on."""

from bottomup.exercises.engine.exercise import (
    Case,
    Inputs,
    call_with_inputs,
    compare_values,
)
from bottomup.exercises.engine.inputs import (
    Drawn,
    booleans,
    case,
    integers,
    normal,
    tensor,
    uniform,
)

__all__ = [
    "Case",
    "Drawn",
    "Inputs",
    "booleans",
    "call_with_inputs",
    "case",
    "compare_values",
    "integers",
    "normal",
    "tensor",
    "uniform",
]
