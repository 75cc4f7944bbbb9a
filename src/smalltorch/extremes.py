"""The largest and the smallest along an axis, and where they are.

A nan is larger than all and smaller than all. What several entries share, as `amax` and `max` over
all do, hands its gradient to them in equal parts; what is one entry, as `max` along an axis, to it.
"""

import builtins
from collections.abc import Callable
from operator import ne
from typing import Any

from smalltorch import dtypes, return_types
from smalltorch.arguments import bad_call
from smalltorch.autograd import record
from smalltorch.geometry import Shape, axes_of, axis_of
from smalltorch.lines import ALL, Line, flag, has_nan, lines, reduced, restored, selected
from smalltorch.overrides import operation
from smalltorch.tensor import Tensor

FUNCTIONS = METHODS = "max min amax amin argmax argmin"
Choice = Callable[[Line], Any]  # builtins.max or builtins.min


@operation
def amax(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """Return the largest number along axes."""
    return _shared("amax", builtins.max, input, dim, keepdim)


@operation
def amin(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """Return the smallest number along axes."""
    return _shared("amin", builtins.min, input, dim, keepdim)


@operation
def max(input: Tensor, dim: Any = ALL, keepdim: bool = False, *, other: Any = ALL) -> Any:
    """Return the largest number; along an axis, with its place; or the larger of two tensors'."""
    return _extreme("max", builtins.max, input, dim if other is ALL else other, keepdim)


@operation
def min(input: Tensor, dim: Any = ALL, keepdim: bool = False, *, other: Any = ALL) -> Any:
    """Return the smallest number; along an axis, with its place; or the smaller of two tensors'."""
    return _extreme("min", builtins.min, input, dim if other is ALL else other, keepdim)


@operation
def argmax(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return the place of the largest number, of the first where several are."""
    return _place("argmax", builtins.max, input, dim, keepdim)


@operation
def argmin(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return the place of the smallest number, of the first where several are."""
    return _place("argmin", builtins.min, input, dim, keepdim)


def _shared(name: str, choose: Choice, input: Tensor, dim: Any, keepdim: Any) -> Tensor:
    axes = axes_of(dim, input.ndim)
    refuse_empty(name, input, axes, whole=dim is None or dim == ())
    result = reduced(_nan_first(choose, input), input, axes, keepdim, input.dtype)

    def rule(gradient: Tensor, input: Any, result: Tensor) -> Any:
        result = restored(result, axes, input.shape)
        chosen = input == result
        if name in ("max", "min"):
            chosen = chosen | (input.isnan() & result.isnan())
        return restored(gradient, axes, input.shape) * chosen / chosen.sum(axes, True)

    return record(result, name.capitalize(), (input, rule, input, result))


def _extreme(name: str, choose: Choice, input: Tensor, dim: Any, keepdim: Any) -> Any:
    if isinstance(dim, Tensor) and keepdim is False:
        return input.maximum(dim) if name == "max" else input.minimum(dim)
    if dim is ALL and keepdim is False:
        return _shared(name, choose, input, None, False)
    if not isinstance(dim, int):
        raise bad_call(name, dim)
    axis = axis_of(dim, input.ndim)
    refuse_empty(name, input, (axis,))
    found = list(map(_finder(choose, input), lines(input, (axis,)[: input.ndim])))
    return picked(name, input, axis, found, keepdim)


def _place(name: str, choose: Choice, input: Tensor, dim: Any, keepdim: Any) -> Tensor:
    if input.dtype.kind in (dtypes.BOOL, dtypes.COMPLEX):
        which = "bool" if input.dtype.kind == dtypes.BOOL else "complex"
        raise RuntimeError(f"{name}(): does not support {which} input")
    if dim is None and not input.numel():
        raise IndexError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0."
        )
    axes = axes_of(None if dim is None else axis_of(dim, input.ndim), input.ndim)
    refuse_empty(name, input, axes)
    return reduced(_finder(choose, input), input, axes, keepdim, dtypes.int64)


def _nan_first(choose: Choice, input: Tensor) -> Choice:
    """Return the choice with nan before all; Python's own where there is none."""
    if not has_nan(input):
        return choose
    return lambda line: next((each for each in line if each != each), None) or choose(line)


def _finder(choose: Choice, input: Tensor) -> Choice:
    """Return the function that gives the place of the chosen number in a line."""
    if not has_nan(input):
        return lambda line: line.index(choose(line))

    def find(line: Line) -> int:
        unordered = list(map(ne, line, line))
        return unordered.index(True) if True in unordered else line.index(choose(line))

    return find


def refuse_empty(name: str, input: Tensor, axes: Shape, whole: bool = False) -> None:
    """Refuse to choose from nothing."""
    if whole and not input.numel():
        raise RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
            "reduction dim with the 'dim' argument."
        )
    for axis in axes:
        if input.shape and not input.shape[axis]:
            raise IndexError(f"{name}(): Expected reduction dim {axis} to have non-zero size.")


def picked(name: str, input: Tensor, axis: int, places: list[int], keepdim: Any) -> Any:
    """Return one number of each line, and its place, as the function of this name returns them."""
    count = 1 if flag("keepdim", keepdim) else None
    found = selected(input, axis, [(place,) for place in places], count, name.capitalize())
    return getattr(return_types, name)(found)
