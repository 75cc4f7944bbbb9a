"""Sums of products over axes that letters name, or numbers.

As torch does, `einsum` multiplies the operands two at a time, from left to right. A pair is laid
out as two stacks of matrices, [shared and kept, only left, summed] and [shared and kept, summed,
only right], so that one product of matrices does all of it and nothing larger than the operands
and the result is ever made.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from smalltorch.overrides import operation
from smalltorch.products import bmm
from smalltorch.refusal import not_here
from smalltorch.tensor import Tensor

DOTS = "..."
Label = str | int  # a letter; of an axis that the three dots stand for, its number, from the left


@operation
def einsum(equation: Any, *operands: Any) -> Tensor:
    """Return the sum of products that an equation such as "bij,bjk->bik" names."""
    if not operands:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one "
            "operand and its subscripts list"
        )
    if isinstance(equation, Tensor):
        raise not_here("einsum with lists of numbers in place of letters")
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    left, arrow, right = equation.partition("->")
    written = _read_inputs(left, operands)
    width = _dots_width(written, operands)
    labels = [
        _spelled_out(names, each.ndim, width) for names, each in zip(written, operands, strict=True)
    ]
    letters = Counter(label for names in written for label in names if label != DOTS)
    dots: list[Label] = list(range(width))
    if arrow:
        kept = _read_output(right, len(left) + 2, letters, dots)
    else:
        kept = dots + sorted(letter for letter in letters if letters[letter] == 1)
    summed = [label for label in dots + sorted(letters) if label not in kept]
    _check_sizes(labels, operands)
    order = kept + summed
    aligned = (_aligned(each, names, order) for each, names in zip(operands, labels, strict=True))
    return _contracted(list(aligned), len(kept))


FUNCTIONS = "einsum"
# ---- Reading an equation


def _read_inputs(text: str, operands: Sequence[Any]) -> list[list[str]]:
    """Return the labels of each operand as they are written."""
    written: list[list[str]] = [[]]
    place = 0
    while place < len(text):
        here, which = text[place], len(written) - 1
        if here == ".":
            if DOTS in written[-1]:
                raise RuntimeError(
                    f"einsum(): found '.' for operand {which} for which an ellipsis was already "
                    "found"
                )
            if text[place : place + 3] != DOTS:
                raise RuntimeError(
                    f"einsum(): found '.' for operand {which} that is not part of any ellipsis"
                )
            written[-1].append(DOTS)
            place += 2
        elif here == ",":
            written.append([])
            if len(written) > len(operands):
                raise RuntimeError(
                    "einsum(): fewer operands were provided than specified in the equation"
                )
        elif here != " ":
            written[-1].append(_letter(here, place))
        place += 1
    if len(written) < len(operands):
        raise RuntimeError("einsum(): more operands were provided than specified in the equation")
    return written


def _read_output(text: str, before: int, letters: Counter[str], dots: list[Label]) -> list[Label]:
    """Return the labels of the result; `before` is how much of the equation comes before it."""
    kept: list[Label] = []
    place, dotted = 0, False
    while place < len(text):
        here = text[place]
        if here == ".":
            if dotted:
                raise RuntimeError(
                    "einsum(): found '.' for output but an ellipsis (...) was already found"
                )
            if text[place : place + 3] != DOTS:
                raise RuntimeError(
                    "einsum(): found '.' for output that is not part of any ellipsis (...)"
                )
            kept += dots
            place, dotted = place + 2, True
        elif here != " ":
            letter = _letter(here, before + place)
            if letter in kept or letter not in letters:
                fault = (
                    "appears more than once in the output"
                    if letter in kept
                    else "does not appear in the equation for any input operand"
                )
                raise RuntimeError(f"einsum(): output subscript {letter} {fault}")
            kept.append(letter)
        place += 1
    return kept


def _letter(here: str, place: int) -> str:
    if not (here.isascii() and here.isalpha()):
        raise RuntimeError(
            f"einsum(): invalid subscript given at index {place} in the equation string, "
            "subscripts must be in [a-zA-Z]"
        )
    return here


def _dots_width(written: list[list[str]], operands: Sequence[Any]) -> int:
    """Return how many axes the dots stand for at most."""
    width = 0
    for which, (names, operand) in enumerate(zip(written, operands, strict=True)):
        if not isinstance(operand, Tensor):
            raise TypeError(
                f"expected Tensor as element {which} in argument 1, but got "
                f"{type(operand).__name__}"
            )
        dotted, count = DOTS in names, len(names) - (DOTS in names)
        if count > operand.ndim or (count < operand.ndim and not dotted):
            said = "is more than" if dotted else "does not match"
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({count}) {said} the number "
                f"of dimensions ({operand.ndim}) for operand {which}"
                f"{'' if dotted else ' and no ellipsis was given'}"
            )
        if dotted:
            width = max(width, operand.ndim - count)
    return width


def _spelled_out(names: list[str], ndim: int, width: int) -> list[Label]:
    """Return the labels of each axis: in place of the dots a number for each that they cover."""
    if DOTS not in names:
        return list(names)
    at, covered = names.index(DOTS), ndim - len(names) + 1
    return [*names[:at], *range(width - covered, width), *names[at + 1 :]]


def _check_sizes(labels: list[list[Label]], operands: Sequence[Tensor]) -> None:
    known: dict[Label, int] = {}
    for which, (names, operand) in enumerate(zip(labels, operands, strict=True)):
        own: dict[Label, int] = {}
        for axis, (label, size) in enumerate(zip(names, operand.shape, strict=True)):
            if own.setdefault(label, size) != size:
                raise RuntimeError(
                    f"einsum(): subscript {label} is repeated for operand {which} but the sizes "
                    f"don't match, {size} != {own[label]}"
                )
            before = known.get(label, 1)
            if size != 1 and before not in (1, size):
                raise RuntimeError(_size_fault(label, axis, which, size, before))
            known[label] = max(before, size) if size else size


def _size_fault(label: Label, axis: int, which: int, size: int, before: int) -> str:
    if isinstance(label, str):
        return (
            f"einsum(): subscript {label} has size {size} for operand {which} which does not "
            f"broadcast with previously seen size {before}"
        )
    return (
        f"einsum(): dimension {axis} covered by ellipsis in operand {which}has size {size} which "
        f"does not broadcast with previously seen ellipsis with size {before} for the respective "
        "dimension"
    )


# ---- Computing it


def _aligned(operand: Tensor, names: list[Label], order: list[Label]) -> Tensor:
    """Return an operand with an axis for each label, in order; of a repeated one the diagonal."""
    axis_of: dict[Label, int] = {}
    for label in names:
        if label in axis_of:
            first = axis_of[label]
            operand = operand.diagonal(0, first, len(axis_of)).movedim(-1, first)
        else:
            axis_of[label] = len(axis_of)
    for label in order:
        if label not in axis_of:
            operand = operand.unsqueeze(-1)
            axis_of[label] = len(axis_of)
    return operand.permute([axis_of[label] for label in order])


def _contracted(operands: list[Tensor], kept: int) -> Tensor:
    """Return the product of aligned operands, summed over all axes but the first `kept`."""
    result, *others = operands
    summed = range(kept, result.ndim)
    if not others:
        return result.sum(list(summed)) if summed else result
    for place, other in enumerate(others):
        # An axis is summed as soon as no later operand has it.
        later = [each.shape for each in others[place + 1 :]]
        ready = [axis for axis in summed if all(shape[axis] == 1 for shape in later)]
        result, other = (_alone_summed(x, y, ready) for x, y in ((result, other), (other, result)))
        both = [axis for axis in ready if result.shape[axis] != 1 and other.shape[axis] != 1]
        result = _pair(result, other, both)
    return result.view(result.shape[:kept]) if summed else result


def _alone_summed(one: Tensor, other: Tensor, axes: list[int]) -> Tensor:
    alone = [axis for axis in axes if one.shape[axis] != 1 and other.shape[axis] == 1]
    return one.sum(alone, True) if alone else one


def _pair(left: Tensor, right: Tensor, summed: list[int]) -> Tensor:
    """Return the product of two tensors with the same axes, summed over some, which stay as 1."""
    if not summed:
        return left * right
    both: list[int] = []
    only_left: list[int] = []
    only_right: list[int] = []
    for axis in range(left.ndim):
        if axis not in summed:
            alone = only_right if left.shape[axis] == 1 else only_left
            shared = left.shape[axis] != 1 and right.shape[axis] != 1
            (both if shared else alone).append(axis)
    if only_left and only_right and only_right[-1] < only_left[0]:
        left, right, only_left, only_right = right, left, only_right, only_left
    stacks = bmm(
        _regrouped(left, both, only_left, summed), _regrouped(right, both, summed, only_right)
    )
    shape = [left.shape[axis] for axis in both + only_left] + [1] * len(summed)
    shape += [right.shape[axis] for axis in only_right]
    order = both + only_left + summed + only_right
    return stacks.view(shape).permute([order.index(axis) for axis in range(left.ndim)])


def _regrouped(tensor: Tensor, *groups: list[int]) -> Tensor:
    """Return a tensor with one axis for each group of its axes; the others are of length one."""
    named = [axis for group in groups for axis in group]
    order = named + [axis for axis in range(tensor.ndim) if axis not in named]
    sizes = [math.prod(tensor.shape[axis] for axis in group) for group in groups]
    return tensor.permute(order).reshape(sizes)
