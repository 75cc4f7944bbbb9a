"""Reading numbers out of nested lists, tuples, arrays and tensors: `torch.tensor`."""

import warnings
from array import array
from collections.abc import Sequence
from itertools import chain
from typing import Any

from smalltorch import dtypes
from smalltorch.dtypes import DTYPES, dtype, get_default_dtype, packed, promote_types
from smalltorch.geometry import Size
from smalltorch.pointwise import kind_of_number
from smalltorch.tensor import Tensor, holding, made, values

PLAIN = {bool, int, float, complex}


def copied(source: Tensor, kind: dtype | None, name: str) -> Tensor:
    """Return the numbers of a tensor in a new one, with torch's warning to write `clone`."""
    warnings.warn(
        "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() "
        f"or sourceTensor.detach().clone().requires_grad_(True), rather than {name}(sourceTensor).",
        stacklevel=3,
    )
    return made(values(source), source.shape, source.dtype).to(kind or source.dtype)


def read_nested(data: Any, kind: dtype | None) -> Tensor:
    """Return the numbers of nested sequences in a new tensor, of a dtype or of the one they have.

    Raises:
        ValueError: the sequences differ in length.
        TypeError: they hold what is no number.
        RuntimeError: they hold what has no dtype.
    """
    if isinstance(data, str):
        raise TypeError("new(): invalid data type 'str'")
    if hasattr(data, "dtype") and hasattr(data, "tolist"):  # numpy's: it has a dtype of its own
        kind = kind or _kind_of_array(data)
        data = data.tolist()
    shape = _shape(data)
    if kind is None:
        kind = _inferred(data)
    numbers = _flat(data, shape)
    if not set(map(type, numbers)) <= PLAIN:
        numbers = [each.item() if hasattr(each, "item") else each for each in numbers]
    return holding(_stored(numbers, kind), shape, kind)


def _shape(data: Any) -> Size:
    """Return the shape that the first entries say."""
    sizes: list[int] = []
    while _is_sequence(data):
        if isinstance(data, str):
            raise ValueError("too many dimensions 'str'")
        if isinstance(data, Tensor) and sizes:  # counts as one number
            if data.numel() != 1:
                raise ValueError("only one element tensors can be converted to Python scalars")
            break
        sizes.append(len(data))
        if not sizes[-1]:
            break
        data = data[0]
    return Size(sizes)


def _is_sequence(value: Any) -> bool:
    return isinstance(value, (list, tuple, str, Tensor)) or (
        hasattr(value, "__getitem__") and hasattr(value, "__len__") and not isinstance(value, dict)
        and bool(getattr(value, "shape", True))
    )  # fmt: skip


def _flat(data: Any, shape: Size) -> Sequence[Any]:
    """Return the numbers row by row."""
    rows: list[Any] = [data]
    if 0 in shape:
        return []
    for axis, size in enumerate(shape):
        if not all(map(_is_sequence, rows)):
            raise TypeError("not a sequence")
        for length in map(len, rows):
            if length != size:
                raise ValueError(f"expected sequence of length {size} at dim {axis} (got {length})")
        rows = list(chain.from_iterable(rows))
    return rows


def _inferred(data: Any) -> dtype:
    """Return the dtype in which all numbers meet."""
    if not isinstance(data, (list, tuple)) or not data:
        return _kind_of(data)
    kinds = set(map(type, data))
    if kinds <= PLAIN:
        found = [kind_of_number(each()) for each in kinds]
    else:
        found = [_inferred(each) for each in data]
    kind = found[0]
    for each in found[1:]:
        kind = promote_types(kind, each)
    return kind


def _kind_of(value: Any) -> dtype:
    if isinstance(value, Tensor):
        return value.dtype
    if isinstance(value, str):
        raise TypeError("new(): invalid data type 'str'")
    if isinstance(value, tuple(PLAIN)):
        return kind_of_number(value)
    if hasattr(value, "dtype"):
        return _kind_of_array(value)
    if not _is_sequence(value):
        raise RuntimeError(f"Could not infer dtype of {type(value).__name__}")
    return _inferred(list(value)) if len(value) else get_default_dtype()


def _kind_of_array(array: Any) -> dtype:
    name = str(array.dtype)
    if name not in DTYPES:
        name = {"O": "object_", "U": "str_"}.get(array.dtype.kind, name)
        raise TypeError(
            f"can't convert np.ndarray of type numpy.{name}. The only supported types are: "
            "float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, "
            "uint32, uint16, uint8, and bool."
        )
    return DTYPES[name]


def _stored(numbers: Sequence[Any], kind: dtype) -> Any:
    if kind.kind != dtypes.INTEGER:
        return packed(kind, numbers)
    try:
        return array(kind.code, numbers)
    except (OverflowError, TypeError):  # too large; or no integers, floats at best
        return array(kind.code, [_whole(number, kind) for number in numbers])


def _whole(number: Any, kind: dtype) -> int:
    if not isinstance(number, (int, float)):
        raise TypeError(f"'{type(number).__name__}' object cannot be interpreted as an integer")
    if isinstance(number, int) and not -(2**63) <= number < 2**63:
        raise ValueError("Overflow when unpacking long long")
    bits = 8 * kind.itemsize
    least = -(2 ** (bits - 1)) if kind.is_signed else 1 - 2**bits  # -1 becomes the largest
    if not least <= number < 2 ** (bits - kind.is_signed):
        raise RuntimeError(f"value cannot be converted to type {kind.name} without overflow")
    return int(number) if kind.is_signed else int(number) % 2**bits
