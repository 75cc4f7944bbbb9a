"""Where the values of a tensor differ from the expected ones, in a sentence."""

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine.compare import difference, differing_tensors
from bottomup.i18n import _

SAME = 1e-3  # relative: how far quotients may lie apart to be one factor


def located(got: Any, expected: Any, inputs: Mapping[str, Any], sentence: str) -> str:
    """Say where the first tensors that differ in two values do; nothing where nothing can be said.

    Args:
        got, expected: the values.
        inputs: those of the case.
        sentence: what an exercise says of the difference. Where it is not about these tensors,
            since the exercise compares in its own way, there is nothing to say.
    """
    found = differing_tensors(got, expected)
    if found is None:
        return ""
    said = difference(*found[1:])
    return where(*found, inputs) if said is not None and said in sentence else ""


def where(wrong: Tensor, got: Tensor, expected: Tensor, inputs: Mapping[str, Any]) -> str:
    """Say what the wrong values have in common; nothing where that is nothing.

    That is one factor, the places where a mask among the inputs is False or True, a stretch of one
    axis, or for a single value its index.

    Args:
        wrong: which values differ.
        got, expected: the values.
        inputs: those of the case.
    """
    if wrong.ndim == 0:
        return ""
    if int(wrong.sum()) == 1:
        index = ", ".join(map(str, wrong.nonzero()[0].tolist()))
        return _("It is at [{index}].").format(index=index)
    if factor := _factor(wrong, got, expected):
        return _("Each is {factor} times the expected one.").format(factor=f"{factor:.4g}")
    found = [*_masks(wrong, inputs), *_stretches(wrong)]
    return min(found, key=lambda each: each[0])[1] if found else ""


def _factor(wrong: Tensor, got: Tensor, expected: Tensor) -> float:
    """Return by which factor all values differ, those that are zero aside; 0: by none."""
    counts = (expected != 0) & (got != 0)
    if not got.is_floating_point() or int(counts.sum()) < 3 or bool((wrong != counts).any()):
        return 0.0
    factors = (got[counts] / expected[counts]).double()
    alike = torch.allclose(factors, factors[0].expand_as(factors), rtol=SAME, atol=0)
    telling = alike and bool(factors[0].isfinite()) and f"{factors[0]:.4g}" != "1"
    return float(factors[0]) if telling else 0.0


def _masks(wrong: Tensor, inputs: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """Yield the masks with one truth value at all wrong values, and how many places have it."""
    for name, mask in inputs.items():
        if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
            continue
        try:
            places = mask.expand_as(wrong)
        except RuntimeError:  # a mask of something else
            continue
        for value in (False, True):
            chosen = places == value
            if bool(chosen.any()) and not bool(chosen.all()) and not bool((wrong & ~chosen).any()):
                said = _("All of them are where {mask} is {value}.")
                yield int(chosen.sum()), said.format(mask=name, value=value)


def _stretches(wrong: Tensor) -> Iterator[tuple[int, str]]:
    """Yield rows, columns, stretches of an axis with all wrong values, and how many they hold."""
    for axis, size in enumerate(wrong.shape):
        others = [other for other in range(wrong.ndim) if other != axis]
        hit = (wrong.any(dim=others) if others else wrong).nonzero().flatten().tolist()
        if len(hit) == hit[-1] - hit[0] + 1 < size:
            said = _of_axis(axis, wrong.ndim, size, hit[0], hit[-1])
            yield wrong.numel() // size * len(hit), said


def _of_axis(axis: int, axes: int, size: int, first: int, last: int) -> str:
    if first == last:
        one = {
            (0, 2): _("All of them are in row {first}."),
            (1, 2): _("All of them are in column {first}."),
        }.get((axis, axes), _("All of them are at index {first} of axis {axis}."))
        return one.format(first=first, axis=axis)
    if last == size - 1:
        several = {
            (0, 2): _("All of them are in the rows from {first} on."),
            (1, 2): _("All of them are in the columns from {first} on."),
        }.get((axis, axes), _("All of them are from index {first} of axis {axis} on."))
        return several.format(first=first, axis=axis)
    several = {
        (0, 2): _("All of them are in the rows {first} to {last}."),
        (1, 2): _("All of them are in the columns {first} to {last}."),
    }.get((axis, axes), _("All of them are at the indices {first} to {last} of axis {axis}."))
    return several.format(first=first, last=last, axis=axis)
