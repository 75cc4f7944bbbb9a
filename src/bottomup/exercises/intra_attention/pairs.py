"""Answers that return two tensors: calling them, gradients included, and comparing."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bottomup.exercises.engine import Case
from bottomup.exercises.engine.compare import difference
from bottomup.exercises.engine.gradients import Differentiated, differentiate
from bottomup.exercises.engine.named_tensors import compare_named


def run_on_pair(answer: Callable[..., Any], case: Case) -> Any:
    """Call the answer; where gradients are asked for, its two tensors count as one."""
    if not case.wants_gradients:
        return answer(*case.inputs.values())
    return differentiate(lambda *inputs: _joined(answer(*inputs)), case.inputs)


def _joined(value: Any) -> Any:
    """Return the numbers of two tensors in one row; what is no such pair, as it is."""
    if isinstance(value, tuple | list) and value and all(isinstance(x, Tensor) for x in value):
        return torch.cat([tensor.flatten() for tensor in value])
    return value


def compare_pair(*names: str) -> Callable[[Any, Any, Case], str | None]:
    """Return a comparison that says which of the two tensors differs."""
    compare_tensors = compare_named(*names)

    def compare(got: Any, expected: Any, case: Case) -> str | None:
        arrays = isinstance(got, tuple | list) and any(isinstance(x, np.ndarray) for x in got)
        if arrays or isinstance(expected, Differentiated):
            return difference(got, expected)
        return compare_tensors(got, expected, case)

    return compare
