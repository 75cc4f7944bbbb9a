"""Comparison of an answer's value with the expected one: a sentence on the difference, or None."""

import math
from collections.abc import Callable, Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bottomup.exercises.engine.agreement import agreeing, alike
from bottomup.exercises.engine.gradients import Differentiated
from bottomup.exercises.engine.show import show
from bottomup.i18n import _

NUMBER_TOLERANCE = (1e-6, 1e-9)

Gradients = Mapping[str, Tensor | None]


def difference(got: Any, expected: Any) -> str | None:
    """Say in a sentence how `got` differs from `expected`; None where they agree.

    Kind, shape, dtype and device must agree exactly, numbers within the tolerance of their dtype.
    NaN agrees with NaN. A list may stand for a tuple. Tensors need the same values, not the same
    gradient history; where gradients were asked for, they are compared after the values. In a
    container, the sentence is about the first entry that differs and says where it stands.
    """
    labels, got, expected = _first_differing(got, expected)
    sentence = _compare(got, expected)
    if sentence is None or not labels:
        return sentence
    where = _(" of value ").join(reversed(labels))
    return _("In value {where}: {sentence}").format(where=where, sentence=sentence)


def differing_tensors(got: Any, expected: Any) -> tuple[Tensor, Tensor, Tensor] | None:
    """Return the first two tensors of one shape that differ in values, and where they do."""
    _labels, got, expected = _first_differing(got, expected)
    if isinstance(got, Differentiated) and isinstance(expected, Differentiated):
        if difference(got.value, expected.value) is not None:
            return differing_tensors(got.value, expected.value)
        return differing_tensors(dict(got.gradients), dict(expected.gradients))
    if not (isinstance(got, Tensor) and isinstance(expected, Tensor)):
        return None
    if not alike(got, expected):
        return None
    got, expected = got.detach(), expected.detach()
    return ~agreeing(got, expected), got, expected


def name_of_kind(value: Any) -> str:
    """Name the kind of a value for a reader."""
    names: list[tuple[Any, str]] = [
        (type(None), "None"),
        (Tensor, _("a tensor")),
        (np.ndarray, _("a NumPy array")),
        (bool, _("a truth value")),
        (Real, _("a number")),
    ]
    named = [name for kind, name in names if isinstance(value, kind)]
    return named[0] if named else _("a value of type {type}").format(type=type(value).__name__)


def differs_in_dtype_alone(got: Any, expected: Any) -> bool:
    """Whether two tensors would agree if they had one dtype."""
    if not (isinstance(got, Tensor) and isinstance(expected, Tensor)):
        return False
    return got.dtype != expected.dtype and difference(got.to(expected.dtype), expected) is None


def lacks_gradients(got: Any, expected: Any) -> bool:
    """Whether the values may be right, but no gradient leads back to an input that should get one.

    What was made anew of a number, `torch.tensor(loss.item())`, often has another dtype too. The
    lost gradient is the cause.
    """
    if not (isinstance(got, Differentiated) and isinstance(expected, Differentiated)):
        return False
    right = difference(got.value, expected.value) is None
    right = right or differs_in_dtype_alone(got.value, expected.value)
    return right and not got.error and bool(_lacking(got.gradients, expected.gradients))


def unchanged(before: Any, after: Any) -> bool:
    """Whether an input still has its exact value. What is none of the kinds below passes."""
    if isinstance(before, Tensor):
        return (
            before.shape == after.shape
            and before.dtype == after.dtype
            and before.requires_grad == after.requires_grad
            and torch.allclose(before, after, rtol=0, atol=0, equal_nan=True)
        )
    if isinstance(before, np.ndarray):
        return np.array_equal(before, after)
    if isinstance(before, list | tuple):
        return len(before) == len(after) and all(map(unchanged, before, after))
    if isinstance(before, dict):
        return list(before) == list(after) and all(unchanged(before[k], after[k]) for k in before)
    if isinstance(before, set | frozenset | str | bytes | Real):
        return bool(before == after) or before != before  # NaN is no other value
    return True


def _first_differing(got: Any, expected: Any) -> tuple[tuple[str, ...], Any, Any]:
    """Go into containers to the first entry that differs; the labels lead from outside to it."""
    for label, ours, theirs in _entries(got, expected):
        if difference(ours, theirs) is not None:
            labels, ours, theirs = _first_differing(ours, theirs)
            return (label, *labels), ours, theirs
    return (), got, expected


def _entries(got: Any, expected: Any) -> Iterable[tuple[str, Any, Any]]:
    """Return label and values of the entries of two containers that have the same ones."""
    if isinstance(got, dict) and isinstance(expected, dict):
        keys = expected if set(got) == set(expected) else ()
        return [(repr(key), got[key], expected[key]) for key in keys]
    sequences = isinstance(got, tuple | list) and isinstance(expected, tuple | list)
    if not sequences or len(got) != len(expected):
        return []
    pairs = enumerate(zip(got, expected, strict=True), start=1)
    return [(str(number), ours, theirs) for number, (ours, theirs) in pairs]


def _compare(got: Any, expected: Any) -> str | None:
    if got is None and expected is not None:
        return _("It returned None. Is a `return` missing?")
    for kind, compare in _COMPARISONS:
        if isinstance(expected, kind):
            return compare(got, expected)
    return None if got == expected else _wrong_kind(got, expected)


def _wrong_kind(got: Any, expected: Any) -> str:
    return _returned(name_of_kind(got), name_of_kind(expected))


def _returned(got: str, expected: str) -> str:
    return _("It returned {got}, expected {expected}.").format(got=got, expected=expected)


def _count(values: int) -> str:
    return _("1 value") if values == 1 else _("{count} values").format(count=values)


def _compare_tensors(got: Any, expected: Tensor) -> str | None:
    if isinstance(got, np.ndarray):
        return _("It returned a NumPy array, expected a tensor: compute with torch throughout.")
    if not isinstance(got, Tensor):
        return _wrong_kind(got, expected)
    for attribute in ("shape", "dtype", "device"):
        ours, theirs = getattr(got, attribute), getattr(expected, attribute)
        if ours != theirs:
            return _differing_attribute(attribute, ours, theirs)
    return _compare_elements(got.detach(), expected.detach())


def _differing_attribute(attribute: str, got: Any, expected: Any) -> str:
    sentence = {
        "shape": _("The result has shape {got}, expected {expected}."),
        "dtype": _("The result has dtype {got}, expected {expected}."),
        "device": _("The result lies on device {got}, expected {expected}."),
    }[attribute]
    if attribute == "shape":
        got, expected = tuple(got), tuple(expected)
    return sentence.format(got=got, expected=expected)


def _compare_elements(got: Tensor, expected: Tensor) -> str | None:
    agrees = agreeing(got, expected)
    if bool(agrees.all()):
        return None
    if got.numel() == 1:
        return _compare_one(got, expected)
    nans = int((got.isnan() & ~expected.isnan()).sum())
    if nans:
        one = _("1 of {total} values is NaN, where a number is expected.")
        several = _("{count} of {total} values are NaN, where numbers are expected.")
        return (one if nans == 1 else several).format(count=nans, total=got.numel())
    wrong = int((~agrees).sum())
    one, several = _("1 of {total} values differs"), _("{count} of {total} values differ")
    count = (one if wrong == 1 else several).format(count=wrong, total=got.numel())
    if not got.is_floating_point():
        return f"{count}."
    largest = float((got.double() - expected.double()).abs()[~agrees].max())
    return _("{count}, by at most {largest}.").format(count=count, largest=f"{largest:.2g}")


def _compare_one(got: Tensor, expected: Tensor) -> str:
    if not got.is_floating_point():
        return _("The value differs.")
    if bool(got.isnan()):
        return _("The value is NaN, where a number is expected.")
    by = float((got.double() - expected.double()).abs())
    return _("The value differs by {difference}.").format(difference=f"{by:.2g}")


def _compare_arrays(got: Any, expected: np.ndarray) -> str | None:
    if not isinstance(got, np.ndarray):
        return _wrong_kind(got, expected)
    return _compare_tensors(torch.from_numpy(got.copy()), torch.from_numpy(expected.copy()))


def _compare_exact(got: Any, expected: Any) -> str | None:
    if type(got) is not type(expected):
        return _wrong_kind(got, expected)
    if got == expected:
        return None
    if isinstance(expected, set | frozenset):
        return _("It returned another set.")
    return _returned(show(got), show(expected))


def _compare_numbers(got: Any, expected: Real) -> str | None:
    if isinstance(got, bool) or not isinstance(got, Real):
        return _wrong_kind(got, expected)
    ours, theirs = float(got), float(expected)
    if math.isnan(ours) or math.isnan(theirs):
        agrees = math.isnan(ours) and math.isnan(theirs)
    else:
        relative, absolute = NUMBER_TOLERANCE
        agrees = math.isclose(ours, theirs, rel_tol=relative, abs_tol=absolute)
    if agrees:
        return None
    return _("The number differs by {difference}.").format(difference=f"{abs(ours - theirs):.2g}")


def _compare_sequences(got: Any, expected: tuple[Any, ...] | list[Any]) -> str | None:
    if not isinstance(got, tuple | list):
        return _returned(name_of_kind(got), _count(len(expected)))
    if len(got) != len(expected):
        return _returned(_count(len(got)), _count(len(expected)))
    return None  # the entries have been compared one by one


def _compare_mappings(got: Any, expected: dict[Any, Any]) -> str | None:
    if not isinstance(got, dict):
        return _wrong_kind(got, expected)
    if set(got) != set(expected):
        return _("It returned other keys than expected.")
    return None  # the entries have been compared one by one


def _compare_differentiated(got: Any, expected: Differentiated) -> str | None:
    if not isinstance(got, Differentiated):
        return _wrong_kind(got, expected)
    if lacks_gradients(got, expected):
        return _compare_gradients(got.gradients, expected.gradients)
    sentence = difference(got.value, expected.value)
    if sentence is not None or (got.error and expected.error):
        return sentence
    if got.error:
        error = got.error.split(":")[0].rstrip(".")
        return _("The values are right, but have no gradient ({error}).").format(error=error)
    return _compare_gradients(got.gradients, expected.gradients)


def _lacking(got: Gradients, expected: Gradients) -> list[str]:
    return [name for name in expected if got[name] is None and expected[name] is not None]


def _compare_gradients(got: Gradients, expected: Gradients) -> str | None:
    if lacking := _lacking(got, expected):
        return _(
            "The values are right, but no gradient leads back from them to {names}: the model "
            "could not learn. Compute with tensors throughout, without float, item or detach."
        ).format(names=", ".join(lacking))
    for name, theirs in expected.items():
        sentence = difference(got[name], theirs)
        if sentence is not None:
            return _("The values are right, but not the gradient of {name}: {sentence}").format(
                name=name, sentence=sentence
            )
    return None


_COMPARISONS: tuple[tuple[Any, Callable[[Any, Any], str | None]], ...] = (
    (Differentiated, _compare_differentiated),
    (Tensor, _compare_tensors),
    (np.ndarray, _compare_arrays),
    ((bool, str, set, frozenset), _compare_exact),
    (Real, _compare_numbers),
    ((tuple, list), _compare_sequences),
    (dict, _compare_mappings),
)
