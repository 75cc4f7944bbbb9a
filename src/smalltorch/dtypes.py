"""Kinds of numbers: how each is stored and rounded, and what two of them give together."""

import math
import struct
from array import array
from collections.abc import Iterable
from typing import Any

from smalltorch.refusal import not_here

BOOL, INTEGER, FLOAT, COMPLEX = range(4)


class dtype:  # noqa: N801  (torch's own name)
    """One kind of number.

    Args:
        name: torch's name of it.
        code: of the `array` that holds such numbers; empty for complex ones, which a list holds.
        kind: bool, integer, float or complex; the larger kind wins where two meet.
        itemsize: bytes that torch takes for one.
    """

    def __init__(self, name: str, code: str, kind: int, itemsize: int) -> None:
        self.name, self.code, self.kind, self.itemsize = name, code, kind, itemsize
        self.is_floating_point, self.is_complex = kind == FLOAT, kind == COMPLEX
        self.is_signed = name not in ("bool", "uint8")

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name  # there is one of each: copies and pickles are the same object


bool_ = dtype("bool", "B", BOOL, 1)
uint8 = dtype("uint8", "B", INTEGER, 1)
int8 = dtype("int8", "b", INTEGER, 1)
int16 = dtype("int16", "h", INTEGER, 2)
int32 = dtype("int32", "i", INTEGER, 4)
int64 = dtype("int64", "q", INTEGER, 8)
float16 = dtype("float16", "f", FLOAT, 2)
bfloat16 = dtype("bfloat16", "f", FLOAT, 2)
float32 = dtype("float32", "f", FLOAT, 4)
float64 = dtype("float64", "d", FLOAT, 8)
complex64 = dtype("complex64", "", COMPLEX, 8)
complex128 = dtype("complex128", "", COMPLEX, 16)

DTYPES = {
    each.name: each
    for each in (bool_, uint8, int8, int16, int32, int64, float16, bfloat16, float32, float64,
                 complex64, complex128)
}  # fmt: skip
_CLASSES = {
    "float32": "Float", "float64": "Double", "int64": "Long", "int32": "Int", "bool": "Bool",
    "float16": "Half", "bfloat16": "BFloat16", "uint8": "Byte", "int8": "Char", "int16": "Short",
    "complex64": "ComplexFloat", "complex128": "ComplexDouble",
}  # fmt: skip
_OF_C = {
    "float32": "float", "float64": "double", "int64": "long int", "int32": "int", "bool": "bool",
    "float16": "c10::Half", "bfloat16": "c10::BFloat16", "uint8": "unsigned char",
    "int8": "signed char", "int16": "short int", "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>",
}  # fmt: skip
_WIDTH = {each: place for place, each in enumerate(DTYPES.values())}


class _Defaults:
    dtype = float32


def get_default_dtype() -> dtype:
    """Return the dtype of new tensors of Python floats."""
    return _Defaults.dtype


def set_default_dtype(kind: dtype) -> None:
    """Change it."""
    if not kind.is_floating_point:
        raise TypeError(f"only floating-point types are supported as the default type, got {kind}")
    _Defaults.dtype = kind


def class_name(kind: dtype) -> str:
    """Return what torch's errors call a dtype: Long for int64."""
    return _CLASSES[kind.name]


def c_name(kind: dtype) -> str:
    """Return what some of torch's errors call a dtype: long int for int64."""
    return _OF_C[kind.name]


def promote_types(a: dtype, b: dtype) -> dtype:
    """Return the smallest dtype that holds what both hold, as torch has it."""
    if a is b:
        return a
    if a.kind != b.kind:
        higher, lower = (a, b) if a.kind > b.kind else (b, a)
        return complex128 if higher is complex64 and lower is float64 else higher
    if {a, b} == {float16, bfloat16}:
        return float32
    if {a, b} == {uint8, int8}:
        return int16
    return max(a, b, key=_WIDTH.__getitem__)


def real_of(kind: dtype) -> dtype:
    """Return the dtype of the parts of a complex number; any other dtype as it is."""
    return {complex64: float32, complex128: float64}.get(kind, kind)


def complex_of(kind: dtype) -> dtype:
    """Return the dtype of a complex number with parts of this dtype."""
    if kind is float16:
        raise not_here("torch.complex32")
    return complex128 if kind is float64 else complex64


def wide(kind: dtype) -> dtype:
    """Return the dtype in which torch computes with numbers of another one: halves in single."""
    return float32 if kind in (float16, bfloat16) else kind


def packed(kind: dtype, values: Iterable[Any]) -> Any:
    """Return numbers as they are stored: rounded to a float's width, wrapped at an integer's."""
    if kind.kind == FLOAT:
        if kind is float16:
            return array("f", map(_half, values))
        if kind is bfloat16:
            return array("f", map(_brain, values))
        return array(kind.code, list(values))  # faster than from an iterator
    if kind.kind == COMPLEX:
        return (
            [_single(value) for value in values]
            if kind is complex64
            else list(map(complex, values))
        )
    if kind is bool_:
        return array("B", bytes(map(bool, values)))
    kept = list(values)
    try:
        return array(kind.code, kept)
    except (OverflowError, TypeError):  # too large, or floats: cut off behind the point
        return array(kind.code, [_wrapped(kind, value) for value in kept])


def rounded(kind: dtype, value: Any) -> Any:
    """Return one number as a dtype would hold it."""
    return packed(kind, (value,))[0]


def _half(value: float) -> float:
    try:
        return float(struct.unpack("e", struct.pack("e", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def _brain(value: float) -> float:
    (single,) = array("f", (value,))
    if not math.isfinite(single):
        return single
    (bits,) = struct.unpack("I", struct.pack("f", single))
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000  # to the nearest, ties to even
    return float(struct.unpack("f", struct.pack("I", bits & 0xFFFFFFFF))[0])


def _single(value: complex) -> complex:
    value = complex(value)
    return complex(*array("f", (value.real, value.imag)))


def _wrapped(kind: dtype, value: Any) -> int:
    bits = 8 * kind.itemsize
    if isinstance(value, float) and not math.isfinite(value):
        return -(2 ** (bits - 1)) if bits >= 32 else 0  # what processors make of it
    whole = int(value) & (2**bits - 1)
    return whole - 2**bits if kind.is_signed and whole >= 2 ** (bits - 1) else whole


class finfo:  # noqa: N801
    """The limits of a floating-point dtype."""

    def __init__(self, kind: dtype | None = None) -> None:
        kind = kind or get_default_dtype()
        if not kind.is_floating_point:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle "
                "'torch.finfo'"
            )
        largest, digits = {
            "float64": (1023, 52), "float32": (127, 23), "float16": (15, 10), "bfloat16": (127, 7)
        }[kind.name]  # fmt: skip
        self.bits, self.dtype = 8 * kind.itemsize, kind.name
        self.eps = 2.0**-digits
        self.max = (2 - self.eps) * 2.0**largest
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0 ** (1 - largest)
        self.resolution = 10.0 ** math.floor(math.log10(self.eps) + 1)


class iinfo:  # noqa: N801
    """The limits of an integer dtype."""

    def __init__(self, kind: dtype) -> None:
        if kind.kind != INTEGER:
            raise TypeError(
                "torch.iinfo() requires an integer input type. Use torch.finfo to handle "
                "'torch.iinfo'"
            )
        self.bits, self.dtype = 8 * kind.itemsize, kind.name
        self.min = -(2 ** (self.bits - 1)) if kind.is_signed else 0
        self.max = 2 ** (self.bits - kind.is_signed) - 1


_DEVICES = (
    "cpu cuda ipu xpu mkldnn opengl opencl ideep hip ve fpga maia xla lazy vulkan mps meta hpu "
    "mtia privateuseone"
).split()


class device:  # noqa: N801
    """Where a tensor lies: here always on the processor."""

    def __init__(self, type: Any = "cpu", index: int | None = None) -> None:
        if isinstance(type, device):
            type, index = type.type, type.index
        name, _colon, number = str(type).partition(":")
        if not name.isalpha():
            raise RuntimeError(f"Invalid device string: '{type}'")
        if name not in _DEVICES:
            known = ", ".join(_DEVICES)
            raise RuntimeError(
                f"Expected one of {known} device type at start of device string: {name}"
            )
        self.type: str = name
        self.index = int(number) if number else index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        index = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{index})"

    def __enter__(self) -> "device":
        check_device(self)
        return self

    def __exit__(self, *_error: object) -> None:
        pass


CPU = device("cpu")


def check_device(place: Any) -> None:
    """Refuse a place that is not the processor, in torch's words where torch would."""
    if place is None or device(place).type == "cpu":
        return
    if device(place).type == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled")
    raise not_here(f"device {place}")


FUNCTIONS = (
    "uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128 dtype "
    "device finfo iinfo promote_types get_default_dtype set_default_dtype"
)
