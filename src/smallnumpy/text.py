"""An array as text, as numpy writes it: `array2string`."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from smallnumpy.arrays import ndarray
from smalltorch.dtypes import dtype, rounded

Write = Callable[[Any], str]
CUT = "..."  # stands for what is left out of a large array


def array2string(
    a: ndarray,
    max_line_width: int = 75,
    precision: int = 8,
    suppress_small: bool = False,
    separator: str = " ",
    prefix: str = "",
    *,
    threshold: int = 1000,
    edgeitems: int = 3,
    sign: str = "-",
) -> str:
    """Return the text for an array; of one with more entries than `threshold` the edges."""
    if not a.size:
        return "[]"
    edge = edgeitems if a.size > threshold else max(a.shape, default=0)
    shown = a
    for axis in range(a.ndim):
        shown = _edges(shown, axis, edge)
    words = iter(list(map(_writer(shown, precision, suppress_small), shown.ravel().tolist())))
    layout = _Layout(a.shape, edge, separator, words)
    return layout.block(0, " " * (len(prefix) + 1), max_line_width)


def _edges(a: ndarray, axis: int, edge: int) -> ndarray:
    length = a.shape[axis]
    if length <= 2 * edge:
        return a
    places = [*range(edge), *range(length - edge, length)]
    return a[(slice(None),) * axis + (places,)]  # type: ignore[no-any-return]


@dataclass
class _Layout:
    """Sets words in rows of at most a given width, blocks below each other.

    Args:
        edge: so many entries are set from each end of an axis.
        words: all that are set, in order.
    """

    shape: tuple[int, ...]
    edge: int
    separator: str
    words: Any

    def block(self, axis: int, indent: str, width: int) -> str:
        """Return the text of all that lies along the axes from this one on."""
        if axis == len(self.shape):
            return str(next(self.words))
        length = self.shape[axis]
        cut = length > 2 * self.edge
        places: list[int | None] = [*range(min(length, 2 * self.edge))]
        if cut:
            places.insert(self.edge, None)
        parts = [CUT if place is None else self.block(axis + 1, indent + " ", width - 1)
                 for place in places]  # fmt: skip
        last = axis == len(self.shape) - 1
        text = self._row(parts, indent, width) if last else self._rows(parts, indent, axis)
        return "[" + text[len(indent) :] + "]"

    def _row(self, words: Sequence[str], indent: str, width: int) -> str:
        width -= max(len(self.separator.rstrip()), 1)
        text, line = "", indent
        for place, word in enumerate(words):
            if len(line) + len(word) > width and len(line) > len(indent):
                text, line = text + line.rstrip() + "\n", indent
            line += word + (self.separator if place < len(words) - 1 else "")
        return text + line

    def _rows(self, blocks: Sequence[str], indent: str, axis: int) -> str:
        between = self.separator.rstrip() + "\n" * (len(self.shape) - axis - 1)
        return between.join(indent + block for block in blocks)


def _writer(shown: ndarray, precision: int, suppress_small: bool) -> Write:
    numbers, kind = shown.ravel().tolist(), shown.tensor.dtype
    if shown.dtype.kind == "O":
        return repr
    if shown.dtype.kind == "b":
        return (lambda number: str(number).rjust(5)) if shown.ndim else str
    if shown.dtype.kind in "iu":
        width = max(len(str(number)) for number in (min(numbers), max(numbers)))
        return lambda number: str(number).rjust(width)
    if shown.dtype.kind == "f":
        return _float_writer(numbers, kind, precision, suppress_small)
    parts = {"complex64": "float32", "complex128": "float64"}[kind.name]
    from smalltorch.dtypes import DTYPES

    real = _float_writer([x.real for x in numbers], DTYPES[parts], precision, suppress_small)
    other = _float_writer([x.imag for x in numbers], DTYPES[parts], precision, suppress_small, "+")

    def write(number: complex) -> str:
        imaginary = other(number.imag)
        end = len(imaginary.rstrip())
        return real(number.real) + imaginary[:end] + "j" + imaginary[end:]

    return write


# ---- Floats: the fewest digits that tell a number from its neighbours, at most `precision`


def _float_writer(
    numbers: Sequence[float], kind: dtype, precision: int, suppress_small: bool, plus: str = ""
) -> Write:
    finite = [number for number in numbers if math.isfinite(number)]

    def signed(text: str) -> str:
        return text if text.startswith("-") else plus + text

    exponents = _wants_exponents(finite, kind, suppress_small)
    digits = _scientific if exponents else _positional
    parts = [signed(digits(number, kind, precision)).partition("e") for number in finite]
    wholes = [mantissa.partition(".")[0] for mantissa, _e, _power in parts]
    places = max((len(mantissa.partition(".")[2]) for mantissa, _e, _power in parts), default=0)
    powers = max((len(power) - 1 for _mantissa, _e, power in parts), default=0)
    right = places + (powers + 2 if exponents and finite else 0)
    left = max(map(len, wholes), default=0)
    if len(finite) < len(numbers):
        longest = 3 + (bool(plus) or -math.inf in numbers)
        left = max(left, longest - (right + 1))

    def write(number: float) -> str:
        if not math.isfinite(number):
            return signed(str(number)).rjust(left + right + 1)
        mantissa, _e, power = signed(digits(number, kind, precision)).partition("e")
        whole, _point, behind = mantissa.partition(".")
        if not exponents:
            return f"{whole.rjust(left)}.{behind.ljust(places)}"
        power = power[0] + power[1:].rjust(powers, "0")
        return f"{whole.rjust(left)}.{behind.ljust(places, '0')}e{power}"

    return write


def _wants_exponents(finite: Sequence[float], kind: dtype, suppress_small: bool) -> bool:
    sizes = [abs(number) for number in finite if number]
    if not sizes:
        return False
    low, high = min(sizes), max(sizes)
    if high >= {"float64": 1e8, "float32": 1e6, "float16": 1e3}[kind.name]:
        return True
    return not suppress_small and (low < rounded(kind, 0.0001) or high / low > 1000)


def _shortest(number: float, kind: dtype) -> Decimal:
    """Return the number with the fewest digits that a dtype rounds to this one."""
    if kind.name == "float64":
        return Decimal(repr(number))
    for digits in range(17):
        text = f"{number:.{digits}e}"
        if rounded(kind, float(text)) == number:
            break
    return Decimal(text)


def _positional(number: float, kind: dtype, precision: int) -> str:
    short = _shortest(number, kind)
    exponent = short.as_tuple().exponent
    if isinstance(exponent, int) and exponent < -precision:
        text = f"{number:.{precision}f}"  # correctly rounded from the exact value
    else:
        text = f"{short:f}"
    return text.rstrip("0") if "." in text else f"{text}."


def _scientific(number: float, kind: dtype, precision: int) -> str:
    short = _shortest(number, kind)
    digits = len(short.normalize().as_tuple().digits) - 1
    exact: Any = short if number and digits <= precision else number  # Decimal("0.0") is 0e-1
    mantissa, _e, power = f"{exact:.{min(digits, precision)}e}".lower().partition("e")
    mantissa = mantissa.rstrip("0") if "." in mantissa else f"{mantissa}."
    return f"{mantissa}e{int(power):+03d}"
