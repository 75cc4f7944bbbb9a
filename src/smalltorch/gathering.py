"""Reading entries out of a tensor by their places, and the way back: adding them up there.

Places count row by row. Every way of indexing comes down to these functions: `take` and `spread`
are each other's derivative, and so are `take` and what `replaced` does with the new entries.
"""

from collections.abc import Sequence
from math import prod

from smalltorch.autograd import record
from smalltorch.geometry import Shape, positions
from smalltorch.tensor import Tensor, made, values, values_as


def take(tensor: Tensor, places: Sequence[int], shape: Shape, name: str = "Take") -> Tensor:
    """Return the entries at some places, which may repeat, in a new tensor of this shape."""
    result = made(map(values(tensor).__getitem__, places), shape, tensor.dtype)
    whole = tensor.shape
    return record(result, name, (tensor, lambda gradient: spread(gradient, places, whole)))


def spread(tensor: Tensor, places: Sequence[int], shape: Shape) -> Tensor:
    """Return zeros of this shape to which the entries of a tensor are added, each at its place."""
    sums = [0] * prod(shape)
    for place, number in zip(places, values(tensor), strict=True):
        sums[place] += number
    result, own = made(sums, shape, tensor.dtype), tensor.shape
    return record(result, "Spread", (tensor, lambda gradient: take(gradient, places, own)))


def cleared(tensor: Tensor, places: Sequence[int]) -> Tensor:
    """Return a tensor with zeros at some places."""
    numbers = list(values(tensor))
    for place in places:
        numbers[place] = 0
    result = made(numbers, tensor.shape, tensor.dtype)
    return record(result, "Clear", (tensor, lambda gradient: cleared(gradient, places)))


def replaced(tensor: Tensor, places: Sequence[int], new: Tensor, name: str = "IndexPut") -> Tensor:
    """Return a tensor with other entries at some places; `new` has one for each, or one for all."""
    numbers, shape = list(values(tensor)), new.shape or (len(places),)
    for place, number in zip(places, values_as(new, shape), strict=True):
        numbers[place] = number
    result = made(numbers, tensor.shape, tensor.dtype)
    return record(
        result,
        name,
        (tensor, lambda gradient: cleared(gradient, places)),
        (new, lambda gradient: take(gradient, places, shape)),
    )


def places_in(base: Tensor, view: Tensor) -> list[int]:
    """Return the places, in a tensor, of the entries of one of its views."""
    seen = positions(view.shape, view._strides, view._offset - base._offset)
    if base.is_contiguous():
        return seen
    place_of = {at: place for place, at in enumerate(positions(base.shape, base._strides))}
    return [place_of[at] for at in seen]
