"""Comparing an answer that is one number, or several, each known by a name."""

import math
from collections.abc import Callable
from numbers import Real
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Case, call_with_inputs
from bottomup.exercises.engine.compare import difference, name_of_kind
from bottomup.i18n import _

# ---- One number: a float, or a tensor or array scalar without axes

# (relative, absolute): float32 throughout, and sums of logarithms that cancel, stay within it
TOLERANCE = (1e-4, 1e-5)


def compare_number(got: Any, expected: Any, case: Case) -> str | None:
    """Say how two numbers differ; each may be a tensor without axes, of any dtype."""
    ours, theirs = _number(got), _number(expected)
    if ours is None or theirs is None:
        return difference(got, expected if theirs is None else _like(got, theirs))
    if math.isnan(ours) or math.isnan(theirs):
        if math.isnan(ours) and math.isnan(theirs):
            return None
        return _("The result is NaN, where a number is expected.")
    relative, absolute = TOLERANCE
    if math.isclose(ours, theirs, rel_tol=relative, abs_tol=absolute):
        return None
    by = f"{abs(ours - theirs):.2g}"
    return _("The number differs by {difference}.").format(difference=by)


def _number(value: Any) -> float | None:
    """Return a single number as a float, and None for everything else."""
    if isinstance(value, Tensor):
        single = value.dim() == 0 and value.device.type != "meta" and not value.is_complex()
        return float(value) if single and value.dtype != torch.bool else None
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    return float(value)


def _like(got: Any, number: float) -> Any:
    """Return the number as what it is to be compared with: a tensor where a tensor was returned."""
    if isinstance(got, Tensor) and got.is_floating_point():
        return torch.tensor(number, dtype=got.dtype)
    return number


# ---- Several numbers


def run_for_numbers(answer: Callable[..., Any], case: Case) -> Any:
    """Call the answer; tensors without axes among what it returns become numbers."""
    returned = call_with_inputs(answer, case)
    if isinstance(returned, Tensor) and returned.dim() == 1:
        returned = tuple(returned)
    return tuple(map(_without_axes, returned)) if isinstance(returned, tuple | list) else returned


def _without_axes(value: Any) -> Any:
    plain = isinstance(value, Tensor) and value.dim() == 0 and value.device.type == "cpu"
    return value.item() if plain else value


def compare_numbers(*names: str) -> Callable[[Any, Any, Case], str | None]:
    """Return a comparison that says which of the named numbers differs, the first of them."""

    def compare(got: Any, expected: Any, case: Case) -> str | None:
        if not isinstance(got, tuple) or len(got) != len(names):
            return difference(got, expected)
        for name, ours, theirs in zip(names, got, expected, strict=True):
            is_number = name_of_kind(ours) == name_of_kind(theirs)
            compared = compare_number(ours, theirs, case) if is_number else difference(ours, theirs)
            if compared is not None:
                return _("In {name}: {sentence}").format(name=name, sentence=compared)
        return None

    return compare
