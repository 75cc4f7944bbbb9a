"""Values as short text that is the same on every machine: few digits, no addresses, no times."""

import re
from collections.abc import Sequence
from itertools import zip_longest
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bottomup.exercises.engine.agreement import agreeing, alike
from bottomup.exercises.engine.gradients import Differentiated
from bottomup.i18n import _

DIGITS = 4
MORE_DIGITS = 9  # where two values look alike with few
SIGNIFICANT = 6  # digits of a float32: the seventh is another one on another machine
LINES = 10  # of what an answer printed
ITEMS = 8  # of a list, set or dict
ELEMENTS = 40  # of a tensor; of a larger one the corners are shown
EDGE = 2  # how long a corner is
WIDTH = 72  # of a line of numbers
CHARACTERS = 300  # of a string


class Described:
    """Base class of inputs that are neither numbers nor containers: a case shows their `repr`."""


def show(value: Any, *, digits: int = DIGITS, beside: Any = None) -> str:
    """Return a short text for a value; of kinds it does not know, only the type's name.

    Args:
        value: what is shown. Of a large tensor with more than two axes it is one matrix: the first.
        digits: behind the point.
        beside: a value it is compared with: then the first matrix that differs.
    """
    try:
        return _show(value, digits, beside)
    except Exception:  # an answer may return an object that cannot even be looked at
        return _opaque(value)


def show_apart(got: Any, expected: Any) -> tuple[str, str]:
    """Return texts for two values that differ, with more digits where few make them look alike."""
    few = show(got, beside=expected), show(expected, beside=got)
    if few[0] != few[1]:
        return few
    return (
        show(got, digits=MORE_DIGITS, beside=expected),
        show(expected, digits=MORE_DIGITS, beside=got),
    )


def first_lines(text: str) -> str:
    """Cap a printed text at its first lines."""
    lines = text.splitlines(keepends=True)
    return text if len(lines) <= LINES else "".join(lines[:LINES]) + _("… (the rest is left out)")


def describe_error(error: BaseException) -> str:
    """Return an error's type and message, on one line, without addresses, capped."""
    try:
        message = str(error)
    except Exception:  # the message of a reader's own exception class may fail
        message = ""
    text = re.sub(r"0x[0-9a-fA-F]+", "0x…", " ".join(message.split()))
    return shorten(f"{type(error).__name__}: {text}" if text else type(error).__name__)


def shorten(text: str) -> str:
    """Cap a text at a few lines' length."""
    return text if len(text) <= CHARACTERS else text[:CHARACTERS] + " …"


def side_by_side(left: str, right: str, gap: str = "    ") -> str:
    """Set two blocks of text beside each other."""
    lines, others = left.splitlines(), right.splitlines()
    width = max(map(len, lines), default=0)
    pairs = zip_longest(lines, others, fillvalue="")
    return "\n".join(f"{line:<{width}}{gap}{other}".rstrip() for line, other in pairs)


def _show(value: Any, digits: int, beside: Any) -> str:
    if isinstance(value, Differentiated):
        return _show_differentiated(value, digits, beside)
    if isinstance(value, Tensor):
        return _show_tensor(value, digits, beside)
    if isinstance(value, np.ndarray):
        return _labelled(f"NumPy {value.dtype}", value, digits)
    if isinstance(value, str):
        return shorten(repr(value[: CHARACTERS + 1]))
    if isinstance(value, bool | type(None)):
        return repr(value)
    if isinstance(value, int):
        return repr(value) if abs(value) < 10**15 else f"{float(value):.{digits}g}"
    if isinstance(value, float):
        return f"{value + 0.0:.{digits}g}"
    if isinstance(value, Described):
        return shorten(repr(value))
    if isinstance(value, FunctionType | BuiltinFunctionType):
        named = value.__name__.isidentifier()
        return (
            _("(the function {name})").format(name=value.__name__) if named else _("(a function)")
        )
    return _show_container(value, digits, beside)


def _show_differentiated(value: Differentiated, digits: int, beside: Any) -> str:
    other = beside if isinstance(beside, Differentiated) else Differentiated(None, {})
    parts = [show(value.value, digits=digits, beside=other.value)]
    for name, gradient in value.gradients.items():
        label = _("gradient of {name}").format(name=name)
        text = show(gradient, digits=digits, beside=other.gradients.get(name))
        parts.append(f"{label}: {_('none') if gradient is None else text}")
    return "\n".join(parts)


def _show_container(value: Any, digits: int, beside: Any) -> str:
    if isinstance(value, set | frozenset):
        items = sorted(show(item, digits=digits) for item in value)
        return "{" + _join(items) + "}" if items else "set()"
    if isinstance(value, dict):
        others = beside if isinstance(beside, dict) else {}
        entries = [
            f"{show(key)}: {show(value[key], digits=digits, beside=others.get(key))}"
            for key in _first(value)
        ]
        return "{" + _join(entries) + "}"
    if isinstance(value, tuple | list):
        matched = isinstance(beside, tuple | list) and len(beside) == len(value)
        pairs = zip_longest(_first(value), beside[: ITEMS + 1] if matched else ())
        items = [_show_entry(item, digits, other) for item, other in pairs]
        if any("\n" in item for item in items):  # one below the other, counted as a sentence does
            return "\n".join(f"{number}: {item}" for number, item in enumerate(items[:ITEMS], 1))
        return f"({_join(items)})" if isinstance(value, tuple) else f"[{_join(items)}]"
    return _opaque(value)


def _show_entry(value: Any, digits: int, beside: Any) -> str:
    """Show an entry of a sequence; of a matrix that both have, dtype and shape alone."""
    text = show(value, digits=digits, beside=beside)
    first, *rows = text.splitlines()
    if rows and text == show(beside, digits=digits, beside=value) and _agree(value, beside):
        return _("{first} (the same)").format(first=first)
    return text


def _agree(value: Any, other: Any) -> bool:
    """Whether both are tensors with the same values."""
    tensors = isinstance(value, Tensor) and isinstance(other, Tensor)
    if not tensors or not alike(value, other):
        return False
    return bool(agreeing(value.detach(), other.detach()).all())


def _first(value: Any) -> list[Any]:
    return [item for item, _index in zip(value, range(ITEMS + 1), strict=False)]


def _join(items: Sequence[str]) -> str:
    return ", ".join(items[:ITEMS]) + (", …" if len(items) > ITEMS else "")


def _show_tensor(tensor: Tensor, digits: int, beside: Any) -> str:
    dtype = str(tensor.dtype).removeprefix("torch.")
    if tensor.device.type == "meta":
        return f"{dtype} {tuple(tensor.shape)}\n" + _("(device meta: no values)")
    values = tensor.detach().cpu()
    at = _differing_matrix(values, beside)
    if values.dtype == torch.bfloat16:
        values = values.float()
    return _labelled(dtype, values.numpy(), digits, at)


def _differing_matrix(values: Tensor, beside: Any) -> tuple[int, ...]:
    """Return the index of the first matrix in which two tensors differ, else of the first."""
    first = (0,) * (values.ndim - 2)
    if not isinstance(beside, Tensor) or not alike(values, beside) or values.ndim < 3:
        return first
    places = (~agreeing(values, beside.detach())).nonzero()
    return tuple(places[0, :-2].tolist()) if len(places) else first


def _labelled(
    dtype: str, array: np.ndarray[Any, Any], digits: int, at: tuple[int, ...] = ()
) -> str:
    """Below dtype and shape the values; a single number without axes before its dtype."""
    if array.ndim == 0:
        return f"{_show(_rounded(array).item(), digits, None)} ({dtype})"
    if array.ndim < 3 or array.size <= ELEMENTS:
        return f"{dtype} {array.shape}\n{_show_array(_rounded(array), digits)}"
    at = at or (0,) * (array.ndim - 2)
    said = _("{dtype} {shape}, here at {index}:")
    said = said.format(dtype=dtype, shape=array.shape, index=list(at))
    return f"{said}\n{_show_array(_rounded(array[at]), digits)}"


def _rounded(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Round a float32 to the digits that are the same on every machine."""
    if array.dtype not in (np.float32, np.float16) or array.size > 10**4:
        return array
    digits = [float(f"{value:.{SIGNIFICANT}g}") for value in array.flatten().tolist()]
    return np.array(digits, dtype=np.float64).reshape(array.shape)


def _show_array(array: np.ndarray[Any, Any], digits: int) -> str:
    text = np.array2string(
        array,
        precision=digits,
        suppress_small=not _is_tiny(array, digits),
        sign="-",
        threshold=ELEMENTS,
        edgeitems=EDGE,
        max_line_width=WIDTH,
    )
    return _closer(re.sub(r"-0\.(?=[\s,\]])", " 0.", text), array.ndim)


def _closer(text: str, axes: int) -> str:
    """Put an array of more than two axes on one line if it fits; else one blank line, not two."""
    line = re.sub(r"\[ ", "[", " ".join(text.split()))
    if axes > 2 and len(line) <= WIDTH:
        return line
    return re.sub(r"\n(\s*\n){2,}", "\n\n", text)


def _is_tiny(array: np.ndarray[Any, Any], digits: int) -> bool:
    """Whether all numbers that are shown would look like zeros without an exponent."""
    if array.dtype.kind != "f":
        return False
    if array.size > ELEMENTS:
        edges = [[*range(n)] if n <= 2 * EDGE else [0, 1, -2, -1] for n in array.shape]
        array = array[np.ix_(*edges)]
    return bool(0 < np.abs(array[np.isfinite(array)]).max(initial=0) < 10.0 ** (1 - digits))


def _opaque(value: Any) -> str:
    return _("(a value of type {type})").format(type=type(value).__name__)
