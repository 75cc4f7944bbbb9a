"""Axes of length one stretched: each entry is read again and again, and nothing is copied."""

from collections.abc import Sequence
from typing import Any

from smalltorch.arguments import lengths
from smalltorch.autograd import view_of
from smalltorch.dtypes import class_name
from smalltorch.geometry import Size, broadcast_shape
from smalltorch.overrides import operation
from smalltorch.tensor import Tensor
from smalltorch.views import reshape


@operation
def expand(input: Tensor, size: Sequence[int]) -> Tensor:
    """Return a view with axes of length one stretched, and new axes in front."""
    sizes = lengths("expand", "size", size)
    new = len(sizes) - input.ndim
    if new < 0:
        raise RuntimeError(
            f"expand(torch.{class_name(input.dtype)}Tensor{{{list(input.shape)}}}, "
            f"size={list(sizes)}): the number of sizes provided ({len(sizes)}) must be greater or "
            f"equal to the number of dimensions in the tensor ({input.ndim})"
        )
    shape, strides = list(sizes), [0] * new + list(input._strides)
    for axis in reversed(range(len(sizes))):
        wanted, own = sizes[axis], input.shape[axis - new] if axis >= new else None
        if own is None:
            if wanted < 0:
                raise RuntimeError(
                    f"The expanded size of the tensor ({wanted}) isn't allowed in a leading, "
                    f"non-existing dimension {axis}"
                )
            if wanted == 1:
                strides[axis] = (*shape, 1)[axis + 1] * (*strides, 1)[axis + 1]
        elif wanted in (-1, own):
            shape[axis] = own
        elif own == 1 and wanted >= 0:
            strides[axis] = 0
        else:
            raise RuntimeError(
                f"The expanded size of the tensor ({wanted}) must match the existing size ({own}) "
                f"at non-singleton dimension {axis}.  Target sizes: {list(sizes)}.  Tensor sizes: "
                f"{list(input.shape)}"
            )
    return view_of(input, shape, strides, input._offset, "Expand", lambda gradient: gradient)


@operation
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """Return a view stretched to the shape of another tensor."""
    return expand(input, other.shape)


@operation
def broadcast_to(input: Tensor, size: Sequence[int]) -> Tensor:
    """Return a view stretched to a shape."""
    return expand(input, size)


@operation
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Return views of tensors, stretched to one shape."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    shape = Size()
    for each in tensors:
        shape = broadcast_shape(shape, each.shape)
    return tuple(expand(each, shape) for each in tensors)


def broadcast_shapes(*shapes: Any) -> Size:
    """Return the shape that shapes stretch to."""
    found = Size()
    for given in shapes:
        shape = tuple(given) if isinstance(given, (tuple, list)) else (given,)
        found = broadcast_shape(found, shape)
    return found


@operation
def sum_to_size(input: Tensor, size: Sequence[int]) -> Tensor:
    """Return the sum over what was stretched from a shape: the way back of `expand`."""
    shape = Size(lengths("sum_to_size", "size", size))
    new = input.ndim - len(shape)
    if new < 0 or any(
        wanted not in (1, own) for wanted, own in zip(shape, input.shape[new:], strict=True)
    ):
        raise RuntimeError(
            f"size {{{list(shape)}}} is not expandable to size {{{list(input.shape)}}}."
        )
    stretched = [
        axis for axis, own in enumerate(input.shape) if axis < new or own != shape[axis - new]
    ]
    total = input.sum(stretched, keepdim=True) if stretched else input
    return reshape(total, shape) if new else total


FUNCTIONS = "broadcast_to broadcast_tensors broadcast_shapes"
METHODS = "expand_as broadcast_to"
SPELLED_OUT = "expand sum_to_size"
