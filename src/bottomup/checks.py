"""Argument checking: one sentence that names the argument, its value and what was expected.

Every function raises `TypeError` where the kind of value is wrong and `ValueError` where its size
or range is. Shapes are given by axis names, the same names the docstrings use::

    sizes = check_axes("query", query, "... query d_query")
    check_axes("key", key, "... key d_key", d_key=7)
"""

import math
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

import torch
from torch import Tensor


def check_tensor(name: str, value: Any, *, floating: bool = False) -> None:
    """Check that a value is a tensor, of a floating-point dtype if `floating`.

    Raises:
        TypeError: it is not.
    """
    if not isinstance(value, Tensor):
        raise TypeError(f"{name}: expected a torch.Tensor, got {type(value).__name__}")
    if floating and not value.is_floating_point():
        raise TypeError(f"{name}: expected a floating-point tensor, got dtype {value.dtype}")


def check_axes(name: str, tensor: Tensor, axes: str, **expected: int) -> dict[str, int]:
    """Check the axes of a floating-point tensor and return their sizes by name.

    Args:
        name: the argument's name, for the message.
        tensor: the value to check, of any shape.
        axes: axis names separated by blanks; a leading ``...`` stands for any leading axes.
        **expected: the sizes some of the axes must have.

    Raises:
        TypeError: not a floating-point tensor.
        ValueError: wrong number of axes, an empty axis, or a size other than the expected one.
    """
    check_tensor(name, tensor, floating=True)
    names = axes.split()
    leading = names[0] == "..."
    names = names[1:] if leading else names
    shape = tuple(tensor.shape)
    fits = len(shape) >= len(names) if leading else len(shape) == len(names)
    sizes = dict(zip(names, shape[len(shape) - len(names) :], strict=True)) if fits else {}
    if not fits or any(sizes.get(axis, size) != size for axis, size in expected.items()):
        wanted = [*(["..."] if leading else []), *(_label(axis, expected) for axis in names)]
        raise ValueError(f"{name}: expected axes [{', '.join(wanted)}], got shape {shape}")
    if 0 not in sizes.values():
        return sizes
    empty = next(axis for axis, size in sizes.items() if size == 0)
    raise ValueError(f"{name}: axis {empty} must not be empty, got shape {shape}")


def _label(axis: str, expected: dict[str, int]) -> str:
    return f"{axis}={expected[axis]}" if axis in expected else axis


def check_leading(name: str, tensor: Tensor, like: str, reference: Tensor) -> None:
    """Check that two tensors, of any shape, agree in every axis before the last two.

    Those are axes such as batch and head.

    Raises:
        ValueError: they do not.
    """
    got, wanted = tuple(tensor.shape[:-2]), tuple(reference.shape[:-2])
    if got != wanted:
        raise ValueError(f"{name}: expected the leading axes {wanted} of {like}, got {got}")


def check_same_kind(name: str, tensor: Tensor, like: str, reference: Tensor) -> None:
    """Check that two tensors, of any shape, have one dtype and lie on one device.

    Raises:
        TypeError: the dtypes differ.
        ValueError: the devices differ.
    """
    if tensor.dtype != reference.dtype:
        raise TypeError(
            f"{name}: expected the dtype {reference.dtype} of {like}, got {tensor.dtype}"
        )
    check_device(name, tensor, like, reference)


def check_device(name: str, tensor: Tensor, like: str, reference: Tensor) -> None:
    """Check that two tensors, of any shape, lie on one device.

    Raises:
        ValueError: they do not.
    """
    if tensor.device != reference.device:
        raise ValueError(
            f"{name}: expected the device {reference.device} of {like}, got {tensor.device}"
        )


def check_generator(name: str, value: Any, like: str = "", reference: Tensor | None = None) -> None:
    """Check that a value is a `torch.Generator`, on the device of `reference` if that is given.

    Raises:
        TypeError: it is not a generator.
        ValueError: it lies on a device of another type than the reference, of any shape.
    """
    if not isinstance(value, torch.Generator):
        raise TypeError(f"{name}: expected a torch.Generator, got {type(value).__name__}")
    if reference is not None and value.device.type != reference.device.type:
        raise ValueError(
            f"{name}: expected the device {reference.device} of {like}, got {value.device}"
        )


def check_token_ids(name: str, ids: Tensor, axes: str, *, vocabulary: int) -> None:
    """Check a tensor of token numbers: dtype int64, the axes, and 0 <= id < vocabulary.

    Args:
        name: the argument's name, for the message.
        ids: the value to check, of any shape.
        axes: axis names separated by blanks.
        vocabulary: number of token types.

    Raises:
        TypeError: not a tensor, or another dtype.
        ValueError: wrong number of axes, an empty axis, or a number outside the vocabulary.
    """
    check_tensor(name, ids)
    if ids.dtype != torch.int64:
        raise TypeError(f"{name}: expected token numbers of dtype torch.int64, got {ids.dtype}")
    names = axes.split()
    if ids.dim() != len(names) or 0 in ids.shape:
        wanted = ", ".join(names)
        raise ValueError(f"{name}: expected non-empty axes [{wanted}], got {tuple(ids.shape)}")
    low, high = torch.stack(torch.aminmax(ids)).tolist()  # one reading from the device
    if low < 0 or high >= vocabulary:
        worst = low if low < 0 else high
        raise ValueError(f"{name}: expected token numbers in [0, {vocabulary}), got {worst}")


def check_mask(name: str, mask: Tensor | None, shape: tuple[int, ...]) -> None:
    """Check that `mask` is None, or boolean and broadcastable to `shape` (True = may attend).

    Before that, it may have any shape.

    Raises:
        TypeError: not a tensor, or not a boolean one.
        ValueError: a shape that does not broadcast.
    """
    if mask is None:
        return
    check_tensor(name, mask)
    if mask.dtype != torch.bool:
        raise TypeError(
            f"{name}: expected a boolean mask (True = may attend), got dtype {mask.dtype}; "
            "convert an additive mask of 0 and -inf with `mask == 0`"
        )
    behind = shape[len(shape) - mask.dim() :] if mask.dim() <= len(shape) else ()
    fits = len(behind) == mask.dim() and all(
        own in (1, size) for own, size in zip(mask.shape, behind, strict=True)
    )
    if not fits:
        raise ValueError(
            f"{name}: expected a shape that broadcasts to {tuple(shape)}, got {tuple(mask.shape)}"
        )


def check_integer(name: str, value: Any, *, at_least: int) -> None:
    """Check an integer with a lower bound. Booleans do not count as integers.

    Raises:
        TypeError: not an integer.
        ValueError: below the bound.
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"{name}: expected an integer, got {value!r}")
    if int(value) < at_least:
        raise ValueError(f"{name}: expected an integer of at least {at_least}, got {value}")


def check_divisor(name: str, value: int, of: str, whole: int) -> None:
    """Check that `value`, such as a number of heads, divides `whole`, such as a width.

    Raises:
        ValueError: it does not.
    """
    if whole % value:
        raise ValueError(f"{name}: expected a divisor of {of}={whole}, got {value}")


def check_number(
    name: str, value: Any, *, above: int | float | None = None, at_least: int | float | None = None,
    below: int | float | None = None, at_most: int | float | None = None,
) -> None:  # fmt: skip
    """Check a real number against open (`above`, `below`) and closed bounds. NaN never passes.

    Raises:
        TypeError: not a number.
        ValueError: NaN, or outside the bounds.
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name}: expected a number, got {value!r}")
    number = float(value)
    bounds = [
        (above, "> {}", lambda bound: number > bound),
        (at_least, ">= {}", lambda bound: number >= bound),
        (below, "< {}", lambda bound: number < bound),
        (at_most, "<= {}", lambda bound: number <= bound),
    ]
    given = [
        (text.format(bound), holds(bound)) for bound, text, holds in bounds if bound is not None
    ]
    if math.isnan(number) or not all(holds for _, holds in given):
        wanted = " and ".join(text for text, _ in given) or "not NaN"
        raise ValueError(f"{name}: expected a number {wanted}, got {value}")


def check_choice(name: str, value: Any, choices: Collection[Any]) -> None:
    """Check that a value is one of `choices`, which the message lists.

    Raises:
        ValueError: it is not.
    """
    if value not in tuple(choices):  # by equality: a list cannot be looked up in a dict or a set
        listed = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name}: expected one of {listed}, got {value!r}")
