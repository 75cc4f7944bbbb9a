"""Comparison of an answer that returns several tensors, each known by a name."""

from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor

from bottomup.exercises.engine.compare import difference, name_of_kind
from bottomup.exercises.engine.exercise import Case
from bottomup.i18n import _


def compare_named(*names: str) -> Callable[[Any, Sequence[Tensor], Case], str | None]:
    """Return a comparison that says which of the named tensors differs, the first of them."""

    def compare(got: Any, expected: Sequence[Tensor], case: Case) -> str | None:
        if got is None:
            return difference(got, expected)
        if not isinstance(got, tuple | list):
            return _tensors(name_of_kind(got), names)
        if len(got) != len(names):
            count = _("1 value") if len(got) == 1 else _("{count} values").format(count=len(got))
            return _tensors(count, names)
        for name, ours, theirs in zip(names, got, expected, strict=True):
            if (sentence := difference(ours, theirs)) is not None:
                return _("In {name}: {sentence}").format(name=name, sentence=sentence)
        return None

    return compare


def _tensors(got: str, names: Sequence[str]) -> str:
    sentence = _("It returned {got}, expected {count} tensors: {names}.")
    return sentence.format(got=got, count=len(names), names=", ".join(names))
