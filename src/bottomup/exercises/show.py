"""Values as short text that is the same on every machine: few digits, no addresses, no times."""

import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bottomup.exercises.gradients import Differentiated
from bottomup.i18n import _

DIGITS = 4
ITEMS = 8  # of a list, set or dict
ELEMENTS = 40  # of a tensor; of a larger one the corners are shown
CHARACTERS = 300  # of a string


def show(value: Any) -> str:
    """Return a short text for a value; of kinds it does not know, only the type's name."""
    try:
        return _show(value)
    except Exception:  # an answer may return an object that cannot even be looked at
        return _opaque(value)


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


def _show(value: Any) -> str:
    if isinstance(value, Differentiated):
        return _show_differentiated(value)
    if isinstance(value, Tensor):
        return _show_tensor(value)
    if isinstance(value, np.ndarray):
        return f"NumPy {value.dtype} {tuple(value.shape)}\n{_show_array(value)}"
    if isinstance(value, str):
        return shorten(repr(value[: CHARACTERS + 1]))
    if isinstance(value, bool | type(None)):
        return repr(value)
    if isinstance(value, int):
        return repr(value) if abs(value) < 10**15 else f"{float(value):.{DIGITS}g}"
    if isinstance(value, float):
        return f"{value + 0.0:.{DIGITS}g}"
    return _show_container(value)


def _show_differentiated(value: Differentiated) -> str:
    parts = [_show(value.value)]
    for name, gradient in value.gradients.items():
        label = _("gradient of {name}").format(name=name)
        parts.append(f"{label}: {_('none')}" if gradient is None else f"{label}: {show(gradient)}")
    return "\n".join(parts)


def _show_container(value: Any) -> str:
    if isinstance(value, set | frozenset):
        items = sorted(map(show, value))
        return "{" + _join(items) + "}" if items else "set()"
    if isinstance(value, dict):
        return "{" + _join([f"{show(key)}: {show(value[key])}" for key in _first(value)]) + "}"
    if isinstance(value, tuple | list):
        items = [show(item) for item in _first(value)]
        return f"({_join(items)})" if isinstance(value, tuple) else f"[{_join(items)}]"
    return _opaque(value)


def _first(value: Any) -> list[Any]:
    return [item for item, _index in zip(value, range(ITEMS + 1), strict=False)]


def _join(items: Sequence[str]) -> str:
    return ", ".join(items[:ITEMS]) + (", …" if len(items) > ITEMS else "")


def _show_tensor(tensor: Tensor) -> str:
    header = f"{str(tensor.dtype).removeprefix('torch.')} {tuple(tensor.shape)}"
    if tensor.device.type == "meta":
        return f"{header}\n" + _("(device meta: no values)")
    values = tensor.detach().cpu()
    if values.dtype == torch.bfloat16:
        values = values.float()
    return f"{header}\n{_show_array(values.numpy())}"


def _show_array(array: np.ndarray[Any, Any]) -> str:
    text = np.array2string(
        array,
        precision=DIGITS,
        suppress_small=True,
        sign="-",
        threshold=ELEMENTS,
        edgeitems=2,
        max_line_width=72,
    )
    return re.sub(r"-0\.(?=[\s,\]])", " 0.", text)


def _opaque(value: Any) -> str:
    return _("(a value of type {type})").format(type=type(value).__name__)
