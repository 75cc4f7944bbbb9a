"""Products of vectors and matrices.

A product takes the rows of its first operand and the columns of its second as slices of their
storages, whatever the strides: a transposed or stretched operand is never copied as a whole.
"""

import math
from collections.abc import Callable, Sequence
from itertools import product, starmap
from operator import mul
from typing import Any

from smalltorch import dtypes
from smalltorch.arguments import tensor_argument
from smalltorch.autograd import asks, record
from smalltorch.dtypes import c_name, class_name, dtype
from smalltorch.geometry import Shape, broadcast_shape, positions, stretched
from smalltorch.overrides import operation
from smalltorch.tensor import Tensor, made

Vector = tuple[Any, ...]


def _sum_of_products(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return sum(map(mul, a, b))


# Python has one of its own since 3.12, twice as fast.
inner_product: Callable[[Sequence[Any], Sequence[Any]], Any] = getattr(
    math, "sumprod", _sum_of_products
)


@operation
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """Return the product of two vectors, of matrices, or of stacks of matrices, stretched."""
    tensor_argument("matmul", other, "other", 2)
    if not (input.ndim and other.ndim):
        raise RuntimeError(
            "both arguments to matmul need to be at least 1D, but they are "
            f"{input.ndim}D and {other.ndim}D"
        )
    _check_product(input, other)
    return _product(input, other)


@operation
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """Return the product of two matrices."""
    tensor_argument("mm", mat2, "mat2", 2)
    _ask_axes(2, "a matrix", self=input, mat2=mat2)
    _check_matrices(input.shape, mat2.shape, input.dtype, mat2.dtype)
    return _product(input, mat2)


@operation
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Return the products of matrices, pair by pair."""
    tensor_argument("bmm", mat2, "mat2", 2)
    _ask_axes(3, "a 3D tensor", batch1=input, batch2=mat2)
    _check_stacks(input.shape, mat2.shape, input.dtype, mat2.dtype)
    return _product(input, mat2)


def _ask_axes(count: int, wanted: str, **operands: Tensor) -> None:
    for name, operand in operands.items():
        if operand.ndim != count:
            raise RuntimeError(f"{name} must be {wanted}")


@operation
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """Return the product of a matrix and a vector."""
    tensor_argument("mv", vec, "vec", 2)
    if (input.ndim, vec.ndim) != (2, 1):
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {input.ndim}, {vec.ndim}")
    _check_vector(input.shape, vec.shape[0], input.dtype, vec.dtype)
    return _product(input, vec)


@operation
def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """Return the sum of the products of two vectors' entries."""
    tensor_argument("dot", tensor, "tensor", 2)
    _check_vectors(input, tensor)
    return _product(input, tensor)


@operation
def inner(input: Tensor, other: Tensor) -> Tensor:
    """Return the products of all vectors along the last axis of one with those of the other."""
    tensor_argument("inner", other, "other", 2)
    if not (input.ndim and other.ndim):
        return input * other
    if input.dtype is not other.dtype:
        raise RuntimeError("both inputs should have same dtype")
    length = input.shape[-1]
    if length != other.shape[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input.shape)} and {list(other.shape)}"
        )
    a, b = (x.reshape(math.prod(x.shape[:-1]), length) for x in (input, other))
    found: Any = _product(a, b.transpose(0, 1))
    return found.reshape(input.shape[:-1] + other.shape[:-1])


@operation
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """Return the products of each entry of a vector with each of another."""
    tensor_argument("outer", vec2, "vec2", 2)
    for vector, name in ((input, "self"), (vec2, "vec2")):
        if vector.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {vector.ndim}-D")
    return input.unsqueeze(1) * vec2


@operation
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """Return beta * input + alpha * mat1 @ mat2."""
    _check_summand(input, mat2)
    return _plus(input, mm(mat1, mat2), beta, alpha)


def _matmul_operator(input: Tensor, other: Any) -> Any:
    return matmul(input, other) if isinstance(other, Tensor) else NotImplemented


FUNCTIONS = "matmul mm bmm mv dot inner outer addmm"
METHODS = "matmul mm bmm mv dot inner outer addmm"
IN_PLACE = "addmm"
OPERATORS = {"__matmul__": _matmul_operator}


# ---- The product itself


def _product(a: Tensor, b: Tensor) -> Tensor:
    """Return a @ b of operands that fit."""
    rows, columns = a.shape[-2:-1], b.shape[-1:] if b.ndim > 1 else ()
    lead = broadcast_shape(a.shape[:-2], b.shape[:-2])
    result = made(_numbers(a, b, lead), (*lead, *rows, *columns), a.dtype)
    a_is_vector, b_is_vector, b_is_matrix = a.ndim == 1, b.ndim == 1, b.ndim == 2

    def to_a(gradient: Tensor, b: Tensor) -> Tensor:
        gradient = _as_matrices(gradient, a_is_vector, b.ndim == 1)
        return _product(gradient, adjoint(b.unsqueeze(1) if b.ndim == 1 else b))

    def to_b(gradient: Tensor, a: Tensor) -> Tensor:
        gradient = _as_matrices(gradient, a.ndim == 1, b_is_vector)
        a = a.unsqueeze(0) if a.ndim == 1 else a
        if b_is_vector or b_is_matrix:  # one for all of a stack: as if it were one tall matrix
            a, gradient = (each.flatten(0, -2) for each in (a, gradient))
        gradient = _product(adjoint(a), gradient)
        return gradient.squeeze(-1) if b_is_vector else gradient

    return record(result, _NAMES.get((a.ndim, b.ndim), "UnsafeView"), (a, to_a, b), (b, to_b, a))


def adjoint(matrices: Tensor) -> Tensor:
    """Return matrices with rows and columns exchanged, of complex numbers the conjugates."""
    turned = matrices.transpose(-2, -1)
    return turned.conj() if matrices.is_complex() else turned


def _as_matrices(gradient: Tensor, a_is_vector: bool, b_is_vector: bool) -> Tensor:
    """Give the gradient of a product the axes that it lacks, as its operands are vectors."""
    if b_is_vector:
        gradient = gradient.unsqueeze(-1)
    return gradient.unsqueeze(-2) if a_is_vector else gradient


def _numbers(a: Tensor, b: Tensor, lead: Shape) -> list[Any]:
    """Return the entries of a @ b, for each matrix of a stack, row by row."""
    rows = _vectors(a, lead, along=-1, across=-2)
    columns = _vectors(b, lead, along=-2, across=-1) if b.ndim > 1 else _vectors(b, lead, -1, -2)
    numbers: list[Any] = []
    for each, others in zip(rows, columns, strict=True):
        numbers += starmap(inner_product, product(each, others))
    return numbers


def _vectors(stack: Tensor, lead: Shape, along: int, across: int) -> list[list[Vector]]:
    """Return the vectors along one axis of each matrix of a stack; of a vector, itself alone.

    Args:
        stack: stretched to `lead`, the axes before the last two.
        along: the axis -1 or -2.
        across: the other one.
    """
    length, stride = stack.shape[along], stack._strides[along]
    count, step = (stack.shape[across], stack._strides[across]) if stack.ndim > 1 else (1, 0)
    data, reach = stack.storage.data, length * stride

    def vectors(start: int) -> list[Vector]:
        starts = range(start, start + count * step, step) if step else (start,) * count
        if not stride:
            return [tuple(data[place : place + 1]) * length for place in starts]
        return [tuple(data[place : place + reach : stride]) for place in starts]

    begins = positions(lead, stretched(stack.shape[:-2], stack._strides[:-2], lead), stack._offset)
    found = {start: vectors(start) for start in set(begins)}  # each once, however often it is seen
    return [found[start] for start in begins]


def _plus(input: Tensor, product: Tensor, beta: Any, alpha: Any) -> Tensor:
    if alpha != 1:
        product = product * alpha
    if beta == 0:  # then what `input` holds does not count, be it nan
        return product
    input = input.expand(product.shape)
    return (input if beta == 1 else input * beta) + product


# ---- What fits. Torch has four ways to multiply, each with words of its own for what does not.


def _check_product(a: Tensor, b: Tensor) -> None:
    kinds = a.dtype, b.dtype
    if a.ndim == b.ndim == 1:
        _check_vectors(a, b)
    elif b.ndim <= 2 and (a.ndim <= 2 or _is_one_matrix(a, b)):
        matrix = math.prod(a.shape[:-1]), a.shape[-1]
        if b.ndim == 1:
            _check_vector(matrix, b.shape[0], *kinds)
        else:
            _check_matrices(matrix, b.shape, *kinds)
    else:
        count = math.prod(broadcast_shape(a.shape[:-2], b.shape[:-2]))
        rows = a.shape[-2] if a.ndim > 1 else 1
        matrix = b.shape[-2:] if b.ndim > 1 else (b.shape[0], 1)
        _check_stacks((count, rows, a.shape[-1]), (count, *matrix), *kinds)


def _is_one_matrix(a: Tensor, b: Tensor) -> bool:
    """Say whether torch multiplies a stack as one tall matrix."""
    steps = zip(a._strides[:-2], a._strides[1:], a.shape[1:-1], strict=False)
    return asks(b) or not a.numel() or all(here == step * size for here, step, size in steps)


def _check_matrices(a: Sequence[int], b: Sequence[int], a_kind: dtype, b_kind: dtype) -> None:
    if a[1] != b[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({a[0]}x{a[1]} and {b[0]}x{b[1]})"
        )
    if a_kind is not b_kind:
        raise RuntimeError(
            "expected m1 and m2 to have the same dtype, but got: "
            f"{c_name(a_kind)} != {c_name(b_kind)}"
        )
    _refuse_bool(a_kind, "addmm_impl_cpu_")


def _check_stacks(a: Sequence[int], b: Sequence[int], a_kind: dtype, b_kind: dtype) -> None:
    if (a[0], a[2]) != (b[0], b[1]):
        raise RuntimeError(
            "Expected size for first two dimensions of batch2 tensor to be: "
            f"[{a[0]}, {a[2]}] but got: [{b[0]}, {b[1]}]."
        )
    if a_kind is not b_kind:
        raise RuntimeError(
            f"expected scalar type {class_name(a_kind)} but found {class_name(b_kind)}"
        )
    _refuse_bool(a_kind, "bmm")


def _check_vector(matrix: Sequence[int], length: int, a_kind: dtype, b_kind: dtype) -> None:
    rows, columns = matrix
    if columns != length:
        raise RuntimeError(
            f"size mismatch, got input ({rows}), mat ({rows}x{columns}), vec ({length})"
        )
    if a_kind is not b_kind:
        a_name, b_name = class_name(a_kind), class_name(b_kind)
        raise RuntimeError(
            "addmv input tensors must have the same dtype, but got "
            f"{b_name}, {a_name}, and {b_name}"
        )
    _refuse_bool(a_kind, "addmv_impl_cpu")


def _check_vectors(a: Tensor, b: Tensor) -> None:
    if not a.ndim == b.ndim == 1:
        raise RuntimeError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a.dtype is not b.dtype:
        raise RuntimeError(
            "dot : expected both vectors to have same dtype, but found "
            f"{class_name(a.dtype)} and {class_name(b.dtype)}"
        )
    if a.shape != b.shape:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor {list(a.shape)} and src {list(b.shape)} to "
            f"have the same number of elements, but got {a.numel()} and {b.numel()} elements "
            "respectively"
        )
    _refuse_bool(a.dtype, "dot")


def _check_summand(input: Tensor, mat2: Tensor) -> None:
    if input.dtype is not mat2.dtype:
        raise RuntimeError(
            "self and mat2 must have the same dtype, but got "
            f"{class_name(input.dtype)} and {class_name(mat2.dtype)}"
        )


def _refuse_bool(kind: dtype, kernel: str) -> None:
    if kind is dtypes.bool_:
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")


# By the numbers of axes of the operands, what torch calls the computation on the way back.
_NAMES = {(1, 1): "Dot", (2, 1): "Mv", (1, 2): "Squeeze", (2, 2): "Mm"}
