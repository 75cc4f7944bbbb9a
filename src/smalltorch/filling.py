"""Writing one number, or the numbers of another tensor, over those of a tensor."""

from itertools import pairwise
from typing import Any

from smalltorch.arguments import bad_call
from smalltorch.autograd import record
from smalltorch.choice import fitting
from smalltorch.dtypes import packed
from smalltorch.geometry import positions
from smalltorch.inplace import copied, in_place, overwrite, refuse_overlap, refuse_protected
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


_filled_in_place = in_place(fill, "fill_")


@operation
def fill_(input: Tensor, value: Any) -> Tensor:
    """Write one number everywhere."""
    if isinstance(value, Tensor):  # a plain number may be written to a place twice
        refuse_protected(input, value)
        refuse_overlap(input)
    return _filled_in_place(input, value)


@operation
def copy_(input: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """Write the numbers of another tensor, stretched to the same shape."""
    if not isinstance(src, Tensor):
        return fill_(input, src)
    refuse_protected(input, src)
    refuse_overlap(input, src)
    new = copied(input, src)
    if src.storage.data is input.storage.data and src.dtype is input.dtype:
        new.storage.data = packed(input.dtype, _as_torch_goes(input, src))
    return overwrite(input, new)


def _as_torch_goes(target: Tensor, source: Tensor) -> list[Any]:
    """Return what a copy leaves that reads from where it has written: x[:, 1:] = x[:, :-1].

    Torch goes along both from the first entry to the last. Where these lie side by side it takes as
    many at once as fill 64 bytes, and those that remain one by one.
    """
    source = source.expand(target.shape)
    data = list(target.storage.data)
    to, start = (positions(each.shape, each._strides, each._offset) for each in (target, source))
    run, width = _side_by_side(target, source), max(64 // target.itemsize, 1)
    for first in range(0, len(to), run):
        whole = run - run % width
        steps = [*range(0, whole, width), *range(whole, run + 1)]
        for begin, end in pairwise(first + step for step in steps):
            read = [data[place] for place in start[begin:end]]
            for place, number in zip(to[begin:end], read, strict=True):
                data[place] = number
    return [data[place] for place in to]


def _side_by_side(a: Tensor, b: Tensor) -> int:
    """Return how many entries lie side by side in both, from each of some first ones on."""
    run = 1
    for size, step, other in zip(
        reversed(a.shape), reversed(a._strides), reversed(b._strides), strict=True
    ):
        if size != 1:
            if not step == other == run:
                break
            run *= size
    return run


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


FUNCTIONS = "fill"
METHODS = "fill_ copy_ fill_diagonal_"
IN_PLACE = "zero"
