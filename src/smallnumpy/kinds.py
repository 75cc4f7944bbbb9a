"""numpy's dtypes, by name the same as torch's, and its classes of numbers."""

from typing import Any

from smalltorch import dtypes
from smalltorch.dtypes import DTYPES


class dtype:  # noqa: N801  (numpy's own name)
    """The kind of an array's entries.

    Args:
        torch: the dtype of the tensor that holds them; None where they are any objects.
    """

    def __init__(self, torch: dtypes.dtype | None) -> None:
        self.torch, self.name = torch, torch.name if torch else "object"
        self.kind = "O" if torch is None else "biufc"[_place(torch)]

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, dtype | type | str) and of(other).name == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"dtype('{'O' if self.torch is None else self.name}')"


def _place(kind: dtypes.dtype) -> int:
    if kind.kind == dtypes.BOOL:
        return 0
    if kind.kind == dtypes.INTEGER:
        return 1 if kind.is_signed else 2
    return 3 if kind.is_floating_point else 4


class integer:  # noqa: N801
    """A class for `isinstance`: whole numbers are Python's here, none is of this class."""


class floating:  # noqa: N801
    """A class for `isinstance`: floats are Python's here, none is of this class."""


def _number(name: str, base: type, convert: Any) -> Any:
    """Return a class that stands for a dtype, and that makes a Python number when it is called."""
    made = type(name, (base,), {"__new__": lambda cls, value=0: convert(value)})
    made.__module__ = "numpy"
    return made


float64 = _number("float64", floating, float)
float32, float16 = _number("float32", floating, float), _number("float16", floating, float)
int64, int32 = _number("int64", integer, int), _number("int32", integer, int)
int16, int8 = _number("int16", integer, int), _number("int8", integer, int)
uint8 = _number("uint8", integer, int)
bool_ = _number("bool", object, bool)

_OF_PYTHON = {float: "float64", int: "int64", bool: "bool", complex: "complex128"}


def of(kind: Any) -> dtype:
    """Return the dtype that a name, a class or a dtype stands for."""
    if isinstance(kind, dtype):
        return kind
    name = kind if isinstance(kind, str) else _OF_PYTHON.get(kind) or kind.__name__
    if name == "object":
        return dtype(None)
    if name not in DTYPES:
        raise TypeError(f"data type '{name}' not understood")
    return dtype(DTYPES[name])


def common(a: dtypes.dtype, b: dtypes.dtype) -> dtypes.dtype:
    """Return the dtype in which two arrays meet: a float that holds their integers."""
    if a.kind > b.kind:
        a, b = b, a
    if a.kind == dtypes.INTEGER < b.kind and a.itemsize > 1:
        least = dtypes.float32 if a.itemsize == 2 else dtypes.float64
        if b.is_complex:
            least = dtypes.complex_of(least)
        return dtypes.promote_types(least, b)
    if not a.is_signed and a.kind == dtypes.INTEGER == b.kind and b is dtypes.int8:
        return dtypes.int16
    return dtypes.promote_types(a, b)
