"""Comparison of an answer that is one number, whether a float or a tensor without axes."""

from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine.compare import difference
from bottomup.exercises.engine.exercise import Case


def compare_scalar(got: Any, expected: float, case: Case) -> str | None:
    """Compare two numbers; a tensor of one element without axes is a number here."""
    if isinstance(got, Tensor) and got.dim() == 0:
        return difference(got, torch.tensor(expected, dtype=got.dtype))
    return difference(got, expected)
