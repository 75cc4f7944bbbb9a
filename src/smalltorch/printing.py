"""A tensor as text, as torch writes it: four digits, columns of one width, 80 characters a line."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from smalltorch import dtypes
from smalltorch.dtypes import complex_of, get_default_dtype
from smalltorch.tensor import Tensor, values

PRECISION, WIDTH = 4, 80
THRESHOLD, EDGE = 1000, 3  # of a tensor with more entries the first and last three are shown

Rows = Sequence[Any]  # numbers, or rows of them


def text_of(tensor: Tensor) -> str:
    """Return the text for a tensor."""
    start = "tensor("
    body = "[]" if not tensor.numel() else _body(tensor, len(start))
    return _with_suffixes(start + body, _suffixes(tensor), len(start)) + ")"


def _suffixes(tensor: Tensor) -> list[str]:
    """Return what is said behind the numbers where they do not say it."""
    default, suffixes = get_default_dtype(), []
    if not tensor.numel():
        if tensor.dim() != 1:
            suffixes.append(f"size={tuple(tensor.shape)}")
        obvious: tuple[Any, ...] = (default,)
    else:
        obvious = (default, dtypes.int64, dtypes.bool_, complex_of(default))
    if tensor.dtype not in obvious:
        suffixes.append(f"dtype={tensor.dtype}")
    if tensor.grad_fn is not None:
        suffixes.append(f"grad_fn=<{tensor.grad_fn.name()}>")
    elif tensor.requires_grad:
        suffixes.append("requires_grad=True")
    return suffixes


def _with_suffixes(text: str, suffixes: list[str], indent: int) -> str:
    length = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if length + len(suffix) + 2 > WIDTH:
            text += ",\n" + " " * indent + suffix
            length = indent + len(suffix)
        else:
            text += ", " + suffix
            length += len(suffix) + 2
    return text


def _body(tensor: Tensor, indent: int) -> str:
    shortened = tensor.numel() > THRESHOLD
    numbers: list[Any] = list(values(tensor))
    if tensor.dtype is dtypes.bool_:
        numbers = list(map(bool, numbers))
    shown = _corners(numbers, tensor.shape) if shortened else numbers
    write, width = _writer(shown, tensor.dtype)
    return _block(numbers, tensor.shape, indent, shortened, write, width)


def _corners(numbers: Rows, shape: tuple[int, ...]) -> list[Any]:
    """Return the numbers that are shown of a large tensor."""
    if not shape:
        return list(numbers)
    size, step = shape[0], len(numbers) // shape[0]
    places = range(size) if size <= 2 * EDGE else [*range(EDGE), *range(size - EDGE, size)]
    return [
        number
        for place in places
        for number in _corners(numbers[place * step : (place + 1) * step], shape[1:])
    ]


def _block(
    numbers: Rows,
    shape: tuple[int, ...],
    indent: int,
    shortened: bool,
    write: Callable[[Any], str],
    width: int,
) -> str:
    if not shape:
        return write(numbers[0])
    size, step = shape[0], len(numbers) // shape[0]
    cut = shortened and size > 2 * EDGE
    places = [*range(EDGE), *range(size - EDGE, size)] if cut else range(size)
    if len(shape) == 1:
        words = [write(numbers[place]) for place in places]
        return _lines([*words[:EDGE], " ...", *words[EDGE:]] if cut else words, indent, width)
    blocks = [
        _block(numbers[at * step : (at + 1) * step], shape[1:], indent + 1, shortened, write, width)
        for at in places
    ]
    if cut:
        blocks.insert(EDGE, "...")
    return "[" + ("," + "\n" * (len(shape) - 1) + " " * (indent + 1)).join(blocks) + "]"


def _lines(words: list[str], indent: int, width: int) -> str:
    count = max(1, (WIDTH - indent) // (width + 2))
    lines = [", ".join(words[at : at + count]) for at in range(0, len(words), count)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _writer(shown: Rows, kind: dtypes.dtype) -> tuple[Callable[[Any], str], int]:
    """Return a function that writes a number, and how wide it writes."""
    if kind.is_complex:
        real, width = _float_writer([number.real for number in shown])
        imaginary, other = _float_writer([number.imag for number in shown])

        def write(number: complex) -> str:
            text = f"{imaginary(number.imag)}j".lstrip()
            return real(number.real) + (text if text[0] == "-" else f"+{text}")

        return write, width + other + 1
    if kind.is_floating_point:
        return _float_writer(shown)
    longest = max(len(str(number)) for number in shown)
    return (lambda number: str(number).rjust(longest)), longest


def _float_writer(shown: Rows) -> tuple[Callable[[float], str], int]:
    sizes = [abs(number) for number in shown if math.isfinite(number) and number]
    if not sizes:
        return _padded(_whole, 1), 1
    low, high = min(sizes), max(sizes)
    whole = all(size == math.ceil(size) for size in sizes)
    if high / low > 1000 or high > 1e8 or (not whole and low < 1e-4):
        write = _scientific
    else:
        write = _whole if whole else _decimal
    longest = max(len(write(number)) for number in shown if math.isfinite(number) and number)
    return _padded(write, longest), longest


def _padded(write: Callable[[float], str], width: int) -> Callable[[float], str]:
    return lambda number: write(number).rjust(width)


def _scientific(number: float) -> str:
    return f"{number:.{PRECISION}e}"


def _decimal(number: float) -> str:
    return f"{number:.{PRECISION}f}"


def _whole(number: float) -> str:
    return f"{number:.0f}." if math.isfinite(number) else f"{number:.0f}"


FUNCTIONS = ""
OPERATORS = {"__repr__": text_of, "__str__": text_of}
