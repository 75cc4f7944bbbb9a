"""Writing one number, or the numbers of another tensor, over those of a tensor."""

from typing import Any

from smalltorch.arguments import bad_call
from smalltorch.autograd import record
from smalltorch.choice import fitting
from smalltorch.dtypes import packed
from smalltorch.inplace import copied, in_place
from smalltorch.overrides import operation
from smalltorch.parts import as_strided
from smalltorch.tensor import Tensor, holding, made


@operation
def fill(input: Tensor, value: Any) -> Tensor:
    """Return a tensor of the same shape and dtype, full of one number."""
    number = value
    if isinstance(value, Tensor):
        if value.shape:
            raise RuntimeError(
                f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} "
                "dimensions."
            )
        number = value.item()
    if isinstance(number, complex) and not input.is_complex():
        number = number.real if isinstance(value, Tensor) or not number.imag else number
    if not isinstance(number, (bool, int, float, complex)):
        raise bad_call("fill_", value)
    stored = packed(input.dtype, (fitting(input.dtype, number),)) * input.numel()
    result = holding(stored, input.shape, input.dtype)
    return record(
        result,
        "Fill",
        (input, lambda gradient: gradient.new_zeros(gradient.shape)),
        (value, lambda gradient: gradient.sum()),
    )


def zero(input: Tensor) -> Tensor:
    """Return zeros of the same shape and dtype."""
    result = made([0] * input.numel(), input.shape, input.dtype)
    return record(result, "Zero", (input, lambda gradient: gradient.new_zeros(gradient.shape)))


def copy(input: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """Return the numbers of another tensor in the shape and the dtype of the input."""
    return copied(input, src) if isinstance(src, Tensor) else fill(input, src)


@operation
def fill_diagonal_(input: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Write a number along the main diagonal."""
    if input.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    if input.ndim > 2 and len(set(input.shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    line = as_strided(input, (min(input.shape),), (sum(input._strides),))
    fill_(line, fill_value)
    return input


fill_, copy_ = in_place(fill, "fill_"), in_place(copy, "copy_")

FUNCTIONS = "fill"
METHODS = "fill_diagonal_"
IN_PLACE = "fill zero copy"
