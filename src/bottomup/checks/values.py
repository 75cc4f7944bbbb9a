"""Checks of one value: a number, a choice, a device, a tensor and its dtype."""

import math
from collections.abc import Collection, Mapping
from numbers import Integral
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bottomup.checks.tracing import is_traced

Number = int | float | np.integer | np.floating  # torch knows no other


def shown(value: Any) -> str:
    """Return a value as Python writes it, and not more of it than is read."""
    if isinstance(value, int) and abs(value) >= 10**30:
        sign = "-" if value < 0 else ""
        return f"about {sign}2**{value.bit_length() - 1}"
    try:
        written = str(value) if isinstance(value, Number) else repr(value)
    except Exception:  # of a class that cannot write it
        return f"an object of {type(value).__name__}"
    return written if len(written) <= 200 else f"{written[:150]}..."


def check_tensor(name: str, value: Any, *, floating: bool = False) -> None:
    """Check that a value is a tensor, if asked of a floating-point dtype."""
    if not isinstance(value, Tensor):
        got = type(value).__name__
        raise TypeError(f"{name}: expected a torch.Tensor, got {got}")
    if floating and not value.is_floating_point():
        wanted = f"a floating-point tensor, got dtype {value.dtype}"
        raise TypeError(f"{name}: expected {wanted}")


def check_generator(name: str, value: Any) -> torch.Generator:
    """Check and return a generator, which may lie on any device."""
    if not isinstance(value, torch.Generator):
        got = type(value).__name__
        raise TypeError(f"{name}: expected a torch.Generator, got {got}")
    return value


def check_token_ids(
    name: str, ids: Tensor, axes: str, *, vocabulary: int
) -> None:
    """Check token numbers: dtype int64, axes, and 0 <= id < vocabulary.

    Args:
        name: the argument's name, for the message.
        ids: the value to check, of any shape.
        axes: axis names separated by blanks.
        vocabulary: number of token types.
    """
    check_tensor(name, ids)
    if ids.dtype != torch.int64:
        wanted = "token numbers of dtype torch.int64"
        raise TypeError(f"{name}: expected {wanted}, got {ids.dtype}")
    if ids.dim() != len(axes.split()) or 0 in ids.shape:
        wanted = f"non-empty axes [{', '.join(axes.split())}]"
        raise ValueError(f"{name}: expected {wanted}, got {tuple(ids.shape)}")
    if is_traced():
        return
    # One reading from the device.
    low, high = torch.stack(torch.aminmax(ids)).tolist()
    if low < 0 or high >= vocabulary:
        wanted = f"token numbers in [0, {vocabulary})"
        worst = low if low < 0 else high
        raise ValueError(f"{name}: expected {wanted}, got {worst}")


def check_integer(
    name: str, value: Any, *, at_least: int, below: int = 2**31
) -> None:
    """Check an integer with its bounds; booleans are no integers.

    No size is 2**31 or more. What is no size, such as a seed, may be up to
    2**63, from where on torch and numpy have no integers.
    """
    if isinstance(value, torch.SymInt):
        return  # a size that a graph to export leaves open
    if isinstance(value, bool) or not isinstance(value, int | Integral):
        raise TypeError(f"{name}: expected an integer, got {shown(value)}")
    if int(value) < at_least:
        wanted = f"an integer of at least {at_least}"
        raise ValueError(f"{name}: expected {wanted}, got {shown(value)}")
    if int(value) >= below:
        wanted = f"an integer below {_power(below)}"
        raise ValueError(f"{name}: expected {wanted}, got {shown(value)}")


def _power(bound: int) -> str:
    exponent = bound.bit_length() - 1
    return f"2**{exponent}" if bound == 2**exponent > 1000 else str(bound)


def check_number(
    name: str,
    value: Any,
    *,
    above: int | float | None = None,
    at_least: int | float | None = None,
    below: int | float | None = None,
    at_most: int | float | None = None,
) -> None:
    """Check a real number against open and closed bounds; NaN never passes.

    It is one of Python's or of numpy's, which torch can calculate with.
    """
    if isinstance(value, bool) or not isinstance(value, Number):
        raise TypeError(f"{name}: expected a number, got {shown(value)}")
    if isinstance(value, int) and abs(value) >= 2**63:
        wanted = "a whole number below 2**63, or a float"
        raise ValueError(f"{name}: expected {wanted}, got {shown(value)}")
    number = float(value)
    if (
        number == number
        and (above is None or number > above)
        and (at_least is None or number >= at_least)
        and (below is None or number < below)
        and (at_most is None or number <= at_most)
    ):
        return
    bounds = {">": above, ">=": at_least, "<": below, "<=": at_most}
    asked = [f"{sign} {n}" for sign, n in bounds.items() if n is not None]
    wanted = " and ".join(asked) or "not NaN"
    got = shown(value)
    raise ValueError(f"{name}: expected a number {wanted}, got {got}")


def check_scale(scale: Any, dtype: torch.dtype) -> None:
    """Check the factor of scores: above 0, and a number of their dtype."""
    check_number("scale", scale, above=0, below=math.inf)
    check_number("scale", scale, at_most=torch.finfo(dtype).max)


def check_divisor(
    name: str, value: int, of: str, whole: int, hint: str = ""
) -> None:
    """Check that `value`, such as a number of heads, divides `whole`."""
    if whole % value:
        wanted = f"a divisor of {of}={whole}"
        raise ValueError(f"{name}: expected {wanted}, got {value}{hint}")


def check_switch(name: str, value: Any) -> None:
    """Check that a value is True or False, and nothing that passes for it."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name}: expected True or False, got {shown(value)}")


def check_text(name: str, value: Any) -> None:
    """Check that a value is a string, and one that can be written as UTF-8."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a string, got {shown(value)}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        wanted = "text without lone surrogates"
        got = f"{value[error.start]!r} at {error.start}"
        raise ValueError(f"{name}: expected {wanted}, got {got}") from None


def check_choice(name: str, value: Any, choices: Collection[Any]) -> None:
    """Check that a value is one of `choices`, which the message lists."""
    # By equality: a list is no key of a dict, and an array's is no bool.
    same = [value == choice for choice in choices]
    if not any(isinstance(one, bool | np.bool_) and one for one in same):
        listed = ", ".join(repr(choice) for choice in choices)
        got = shown(value)
        raise ValueError(f"{name}: expected one of {listed}, got {got}")


def check_function(name: str, value: Any, hint: str = "") -> None:
    """Check that a value can be called."""
    if not callable(value):
        got = shown(value)
        raise TypeError(f"{name}: expected a function, got {got}{hint}")


def check_device(name: str, value: Any) -> None:
    """Check that a value is None, a device, or the name of one that is there.

    A `torch.device` passes, there or not: it costs nothing where masks are made
    for a model's own device.
    """
    if value is None or isinstance(value, torch.device):
        return
    if not isinstance(value, str):
        wanted = 'a torch.device or its name, such as "cpu"'
        raise TypeError(f"{name}: expected {wanted}, got {shown(value)}")
    try:
        torch.empty(0, device=value)
    except (RuntimeError, AssertionError):  # torch's, for names and for builds
        wanted = 'a device that is there, such as "cpu"'
        got = f"got {shown(value)}"
        raise ValueError(f"{name}: expected {wanted}, {got}") from None


def check_config(value: Any, kind: type) -> None:
    """Check that a model gets the configuration that its sizes are read of."""
    if not isinstance(value, kind):
        name = kind.__name__
        by_name = isinstance(value, Mapping)
        hint = f"; `{name}(**config)` makes one" if by_name else ""
        got = type(value).__name__
        raise TypeError(f"config: expected a {name}, got {got}{hint}")


def check_weights(
    name: str, given: Mapping[str, Tensor], wanted: Mapping[str, Tensor]
) -> None:
    """Check that weights have all places of a model and no more, by shape.

    Args:
        name: the argument's name, for the message.
        given: the weights by name, of any shape.
        wanted: by the same names, tensors of any shape: that is asked for.
    """
    for key, x in given.items():
        check_tensor(f"{name}[{key!r}]", x)
    both = [key for key in wanted if key in given]
    found = {
        "missing": [key for key in wanted if key not in given],
        "left over": [key for key in given if key not in wanted],
        "of another shape": [
            f"{key} {tuple(given[key].shape)} and not "
            f"{tuple(wanted[key].shape)}"
            for key in both
            if given[key].shape != wanted[key].shape
        ],
    }
    wrong = [
        f"{what}: {', '.join(keys)}" for what, keys in found.items() if keys
    ]
    if wrong:
        raise ValueError(
            f"{name}: expected the weights of the model and no others, "
            f"got {'; '.join(wrong)}"
        )
    for key in both:
        check_tensor(f"{name}[{key!r}]", given[key], floating=True)
