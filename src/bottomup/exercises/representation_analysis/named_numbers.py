"""Running and comparing an answer that returns several numbers, each known by a name."""

from collections.abc import Callable
from typing import Any

from torch import Tensor

from bottomup.exercises.compare import difference, name_of_kind
from bottomup.exercises.exercise import Case, call_with_inputs
from bottomup.exercises.representation_analysis.one_number import compare_number
from bottomup.i18n import _


def run_for_numbers(answer: Callable[..., Any], case: Case) -> Any:
    """Call the answer; tensors without axes among what it returns become numbers."""
    returned = call_with_inputs(answer, case)
    if isinstance(returned, Tensor) and returned.dim() == 1:
        returned = tuple(returned)
    return tuple(map(_number, returned)) if isinstance(returned, tuple | list) else returned


def _number(value: Any) -> Any:
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
