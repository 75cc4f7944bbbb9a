"""Computing entry by entry: what all functions of this kind share.

A number beside a tensor, and a tensor without axes beside one with some, changes the dtype of the
result only where it is of a higher kind: an integer tensor times 2.0 is a float tensor, a float16
tensor times 2.0 stays one.

The result of transposed operands lies transposed, too, as in torch, where `view` depends on it.
"""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import repeat
from math import prod
from typing import Any

from smalltorch import dtypes
from smalltorch.dtypes import class_name, dtype, get_default_dtype, packed, promote_types
from smalltorch.geometry import (
    Shape,
    Size,
    broadcast_shape,
    contiguous_strides,
    dense_strides,
    stretched,
)
from smalltorch.tensor import Tensor, holding, made, seen, values, values_as

# What Python raises where torch returns inf or nan.
UNDEFINED = (ZeroDivisionError, ValueError, OverflowError)
NUMBER = (int, float, complex)
OPERAND = (Tensor, *NUMBER)
Loop = Callable[..., Iterable[Any]]


def kind_of_number(number: Any) -> dtype:
    """Return the dtype that a Python number has by itself.

    Raises:
        OverflowError: it is an integer that no dtype holds.
    """
    if isinstance(number, bool):
        return dtypes.bool_
    if isinstance(number, int):
        if number >= 2**64:
            raise OverflowError("int too big to convert")
        if number < -(2**63):
            raise OverflowError("can't convert negative int to unsigned")
        return dtypes.int64
    return (
        dtypes.complex_of(get_default_dtype())
        if isinstance(number, complex)
        else get_default_dtype()
    )


def result_type(*operands: Any) -> dtype:
    """Return the dtype in which tensors and numbers meet."""
    kinds = {each.dtype if isinstance(each, Tensor) else None for each in operands}
    if len(kinds) == 1 and None not in kinds:
        return operands[0].dtype
    # With axes, without axes, numbers: a later group counts only where it is of a higher kind.
    groups: list[dtype | None] = [None, None, None]
    for each in operands:
        if isinstance(each, Tensor):
            place, kind = (0 if each.shape else 1), each.dtype
        else:
            place, kind = 2, kind_of_number(each)
        known = groups[place]
        groups[place] = kind if known is None else promote_types(known, kind)
    first, *others = [group for group in groups if group is not None]
    for group in others:
        if group.is_complex and first.is_floating_point:
            first = dtypes.complex_of(first)
        elif group.kind > first.kind:
            first = group
    return first


def float_type(*operands: Any) -> dtype:
    """Return the dtype in which operands meet where the result has digits behind the point."""
    kind = result_type(*operands)
    return kind if kind.kind >= dtypes.FLOAT else get_default_dtype()


def as_tensor_like(number: Any, like: Tensor | None = None) -> Tensor:
    """Return an operand as a tensor: a number as one without axes, of its own dtype."""
    if isinstance(number, Tensor):
        return number
    return made((number,), Size(), kind_of_number(number))


def not_implemented(name: str, kind: dtype) -> NotImplementedError:
    """Return the error for a dtype that a function does not take; `name` is torch's of its loop."""
    return NotImplementedError(f"\"{name}\" not implemented for '{class_name(kind)}'")


def as_operator(function: Callable[..., Any]) -> Callable[[Tensor, Any], Any]:
    """Return what Python calls for `+` and its like: it takes tensors and numbers, nothing else."""

    def call(tensor: Tensor, other: Any) -> Any:
        return function(tensor, other) if isinstance(other, OPERAND) else NotImplemented

    return call


def numbers_of(operand: Any, shape: Shape, kind: dtype) -> Iterable[Any]:
    """Return the entries of an operand stretched to a shape, as a dtype holds them."""
    if not isinstance(operand, Tensor):
        return repeat(packed(kind, (operand,))[0], prod(shape))
    if operand.dtype is not kind and operand.dtype.kind >= kind.kind:  # rounded first
        operand = made(values(operand), operand.shape, kind)
    return values_as(operand, shape)


def shape_of_all(*operands: Any) -> Size:
    """Return the shape that all tensors among the operands stretch to."""
    shape = Size()
    for each in operands:
        if isinstance(each, Tensor) and each.shape != shape:
            shape = broadcast_shape(shape, each.shape)
    return shape


def pointwise(
    function: Callable[..., Any],
    *operands: Any,
    kind: dtype,
    result: dtype | None = None,
    careful: Callable[..., Any] | None = None,
) -> Tensor:
    """Return what a function of numbers makes of the entries of the operands; without a history.

    Args:
        function: of as many numbers as there are operands.
        operands: tensors, stretched to one shape, and numbers.
        kind: the dtype in which the operands are read.
        result: the dtype of the result, if it is another one.
        careful: the function that is taken where `function` raises one of `UNDEFINED`; it returns
            inf or nan there.
    """
    slow = None if careful is None else partial(map, careful)
    return looped(partial(map, function), *operands, kind=kind, result=result, careful=slow)


def looped(
    loop: Loop,
    *operands: Any,
    kind: dtype,
    result: dtype | None = None,
    careful: Loop | None = None,
) -> Tensor:
    """Return what a loop makes of the entries of the operands; without a history.

    The loop gets the entries of each operand, and returns those of the result. All else is as in
    `pointwise`.
    """
    shape, result = shape_of_all(*operands), result or kind
    strides = _strides_of_result(shape, operands)
    if strides is None:
        return holding(_computed(loop, operands, shape, kind, result, careful), shape, result)
    # In the order in which they lie, the axes make a contiguous result.
    order = sorted(range(len(shape)), key=lambda axis: -strides[axis])
    lying = Size(shape[axis] for axis in order)
    operands = tuple(_permuted(each, shape, order) for each in operands)
    tensor = holding(_computed(loop, operands, lying, kind, result, careful), lying, result)
    tensor.shape, tensor._strides = shape, strides
    return tensor


def _computed(
    loop: Loop,
    operands: tuple[Any, ...],
    shape: Shape,
    kind: dtype,
    result: dtype,
    careful: Loop | None,
) -> Any:
    try:
        return packed(result, loop(*(numbers_of(each, shape, kind) for each in operands)))
    except UNDEFINED:
        if careful is None:
            raise
    return packed(result, careful(*(numbers_of(each, shape, kind) for each in operands)))


def _strides_of_result(shape: Shape, operands: tuple[Any, ...]) -> Shape | None:
    """Return the strides of a result that lies as its operands do; None if it lies row by row."""
    if len(shape) < 2:
        return None
    tensors = [each for each in operands if isinstance(each, Tensor) and each.shape]
    strides = dense_strides(shape, *(_strides_in(each, shape) for each in tensors))
    return None if strides == contiguous_strides(shape) else strides


def _strides_in(tensor: Tensor, shape: Shape) -> Shape:
    if tensor.shape == shape:
        return tensor._strides
    return stretched(tensor.shape, tensor._strides, shape)


def _permuted(operand: Any, shape: Shape, order: list[int]) -> Any:
    """Return an operand, stretched to a shape, with its axes in another order."""
    if not isinstance(operand, Tensor) or not operand.shape:
        return operand
    strides = _strides_in(operand, shape)
    permuted = [shape[axis] for axis in order], [strides[axis] for axis in order]
    return seen(operand, *permuted, operand._offset)


FUNCTIONS = "result_type"
