"""What the two exercises on sets of positions share: how an answer is read and compared."""

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import islice
from operator import index
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bottomup.exercises.engine import Case
from bottomup.exercises.engine.compare import difference, name_of_kind
from bottomup.i18n import _

LISTED = 8  # positions in a sentence
MOST = 1000  # of an answer's positions, which may go on without end
_CONVERT = _("Positions are counted with whole numbers: convert them with int or `.long()`.")


def run(answer: Callable[..., Any], case: Case) -> Any:
    """Call the answer and write each of its two collections as positions in rising order."""
    returned = answer(*case.inputs.values())
    if not isinstance(returned, tuple | list) or len(returned) != 2:
        return returned
    return tuple(map(_positions, returned))


def _positions(collection: Any) -> Any:
    """Return a sorted tuple of whole numbers; what holds none is returned as it is."""
    if isinstance(collection, str | bytes | dict):
        return collection
    if isinstance(collection, Tensor | np.ndarray) and collection.ndim != 1:
        return collection
    try:
        return tuple(sorted(map(_whole_number, islice(collection, MOST))))
    except TypeError:
        return collection


def _whole_number(item: Any) -> int:
    if _is_truth_value(item):
        raise TypeError("a truth value is no position")
    return index(item)


def compare_sets(*names: str) -> Callable[[Any, Any, Case], str | None]:
    """Return a comparison that says which positions a set lacks, or has too many."""

    def compare(got: Any, expected: Any, case: Case) -> str | None:
        if not isinstance(got, tuple) or len(got) != len(names):
            return difference(got, expected)
        for name, ours, theirs in zip(names, got, expected, strict=True):
            if not _are_positions(ours) or ours != theirs:
                return _differing(name, ours, theirs)
        return None

    return compare


def _are_positions(collection: Any) -> bool:
    return isinstance(collection, tuple) and all(isinstance(j, int) for j in collection)


def _differing(name: str, ours: Any, theirs: Any) -> str:
    if not _are_positions(ours) or not _are_positions(theirs):
        return _not_positions(name, ours)
    repeated = [j for j, count in Counter(ours).items() if count > 1]
    told = (
        (_("The {name} lacks {positions}."), set(theirs) - set(ours)),
        (_("The {name} has {positions} too many."), set(ours) - set(theirs)),
        (_("The {name} has {positions} more than once."), repeated),
    )
    return " ".join(
        sentence.format(name=name, positions=_listed(positions))
        for sentence, positions in told
        if positions
    )


def _is_truth_value(item: Any) -> bool:
    return isinstance(item, bool) or getattr(item, "dtype", None) in (torch.bool, np.bool_)


def _not_positions(name: str, ours: Any) -> str:
    told = _("It returned {got} as the {name}, expected positions: whole numbers, such as {ex}.")
    kind, advice = _array(ours) if isinstance(ours, Tensor | np.ndarray) else _other_kind(ours)
    return f"{told.format(got=kind, name=name, ex='{2, 5}')} {advice}".rstrip()


def _array(ours: Tensor | np.ndarray) -> tuple[str, str]:
    """Return what an array is that holds no positions, and what to do about it."""
    kind, advice = name_of_kind(ours), ""
    if ours.ndim != 1:
        kind = _("{kind} of shape {shape}").format(kind=kind, shape=tuple(ours.shape))
        if ours.ndim == 2 and ours.shape[1] == 1:
            advice = _("`nonzero()` gives a row for each position: flatten it.")
    elif _is_truth_value(ours):
        kind = _("a mask of truth values")
        advice = _("Take the positions where it is true: `mask.nonzero()`, flattened.")
    else:
        kind, advice = _("{kind} of floats").format(kind=kind), _CONVERT
    return kind, advice


def _other_kind(ours: Any) -> tuple[str, str]:
    if not isinstance(ours, Iterable) or isinstance(ours, str):
        return name_of_kind(ours), ""
    first = next(iter(ours), None) if isinstance(ours, tuple | list | set | frozenset) else None
    held, advice = _("other things"), ""
    if isinstance(first, float):
        held, advice = _("floats"), _CONVERT
    elif isinstance(first, Tensor | np.ndarray) and first.ndim:
        held, advice = _("arrays"), _("Take the positions out of it: the entry [0].")
    elif _is_truth_value(first):
        held, advice = _("truth values"), _("Give the positions where they are true.")
    kind = _("a value of type {type} that holds {held}")
    return kind.format(type=type(ours).__name__, held=held), advice


def _listed(positions: Iterable[int]) -> str:
    ordered = sorted(positions)
    first = ", ".join(map(str, ordered[:LISTED]))
    return f"{first}, …" if len(ordered) > LISTED else first
