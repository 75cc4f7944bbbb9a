"""Complex numbers: made of two real ones, and taken apart.

torch shows both parts of a complex tensor as views of its storage. Here complex numbers are stored
as such, and each of these functions returns a new tensor.
"""

import cmath
from itertools import chain
from typing import Any

from smalltorch import dtypes
from smalltorch.autograd import record
from smalltorch.dtypes import class_name, complex_of, real_of
from smalltorch.overrides import operation
from smalltorch.pointwise import pointwise
from smalltorch.tensor import Tensor, made, values

_complex = complex


@operation
def complex(real: Tensor, imag: Tensor) -> Tensor:
    """Return real + i * imag."""
    _check_parts(real, imag)
    kind = complex_of(real.dtype)
    result = pointwise(_complex, real, imag, kind=real.dtype, result=kind)
    return record(result, "Complex", (real, lambda g: g.real), (imag, lambda g: g.imag))


@operation
def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """Return the complex numbers of these lengths and angles."""
    _check_parts(abs, angle)
    kind = complex_of(abs.dtype)
    result = pointwise(cmath.rect, abs, angle, kind=abs.dtype, result=kind)
    return record(
        result,
        "Polar",
        (abs, lambda g, z: (g.conj() * z.sgn()).real, result),
        (angle, lambda g, z: (g.conj() * z * 1j).real, result),
    )


@operation
def view_as_complex(input: Tensor) -> Tensor:
    """Return the pairs along the last axis as complex numbers."""
    if input.dtype.kind != dtypes.FLOAT or input.dtype is dtypes.bfloat16:
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but got a "
            f"tensor of scalar type: {class_name(input.dtype)}"
        )
    if not input.shape:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if input.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if input.stride(-1) != 1:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    return _paired(input)


def _paired(input: Tensor) -> Tensor:
    numbers = values(input)
    pairs = map(_complex, numbers[::2], numbers[1::2])
    result = made(pairs, input.shape[:-1], complex_of(input.dtype))
    return record(result, "ViewAsComplex", (input, lambda g: view_as_real(g)))


@operation
def view_as_real(input: Tensor) -> Tensor:
    """Return complex numbers as pairs along a new last axis."""
    if not input.is_complex():
        raise RuntimeError("view_as_real is only supported for complex tensors")
    parts = chain.from_iterable((number.real, number.imag) for number in values(input))
    result = made(parts, (*input.shape, 2), real_of(input.dtype))
    return record(result, "ViewAsReal", (input, lambda g: _paired(g)))


@operation
def real(input: Tensor) -> Tensor:
    """Return the real parts; of real numbers, the tensor itself."""
    return view_as_real(input)[..., 0] if input.is_complex() else input


@operation
def imag(input: Tensor) -> Tensor:
    """Return the imaginary parts."""
    if not input.is_complex():
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return view_as_real(input)[..., 1]


@operation
def conj(input: Tensor) -> Tensor:
    """Return the conjugates; of real numbers, the tensor itself."""
    if not input.is_complex():
        return input
    result = pointwise(_complex.conjugate, input, kind=input.dtype)
    return record(result, "Conj", (input, lambda g: g.conj()))


def conjugate(operand: Any) -> Any:
    """Return the conjugate of a tensor or a number."""
    return operand.conj() if isinstance(operand, Tensor) else operand.conjugate()


def _check_parts(first: Tensor, second: Tensor) -> None:
    if {dtypes.FLOAT} != {first.dtype.kind, second.dtype.kind}:
        names = f"{class_name(first.dtype)} and {class_name(second.dtype)}"
        raise RuntimeError(
            f"Expected both inputs to be Half, Float or Double tensors but got {names}"
        )
    if first.dtype is not second.dtype:
        raise RuntimeError(
            f"Expected object of scalar type {class_name(first.dtype)} but got scalar type "
            f"{class_name(second.dtype)} for second argument"
        )


FUNCTIONS = "complex polar view_as_complex view_as_real real imag conj"
METHODS = "conj"
PROPERTIES = {"real": real, "imag": imag}
