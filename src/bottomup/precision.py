"""Half precision: compute in float32, and round once, at the end."""

import functools
from collections.abc import Callable, Collection, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ParamSpec, TypeVar, cast

import torch
from torch import Tensor

from bottomup.checks import is_autocast_on

P = ParamSpec("P")
R = TypeVar("R")

HALF = (torch.float16, torch.bfloat16)


def in_float32(function: Callable[P, R]) -> Callable[P, R]:
    """Have a function compute in float32 what comes in float16 or bfloat16.

    ``y = round(f(float32(x)))``: every rounding but the last is float32's.
    float16 ends at 65,504 and has no number between 2,048 and 2,050, bfloat16
    none between 256 and 258: scores overflow, sums stop to grow, and positions
    fall together, without a word.

    A result has the dtype that torch gives to the sum of all arguments. So
    float32 beside bfloat16, as under ``torch.autocast``, gives float32; inside,
    autocast is off. What comes in float32 or float64 passes as it is.

    Chapter 01b needs it, for its positions.
    """

    @functools.wraps(function)
    def wide(*args: P.args, **kwargs: P.kwargs) -> R:
        if not (_any_half(args) or _any_half(kwargs.values())):
            return function(*args, **kwargs)
        tensors = _real((*args, *kwargs.values()))
        device = tensors[0].device
        dtypes = [tensor.dtype for tensor in tensors]
        dtype = functools.reduce(torch.promote_types, dtypes)
        more = {n: _cast(v, HALF, torch.float32) for n, v in kwargs.items()}
        with without_autocast(device):
            result = function(
                *(_cast(v, HALF, torch.float32) for v in args), **more
            )
        return cast(R, _cast(result, {torch.float32}, dtype))

    return widens(wide)


def widens(function: Callable[P, R]) -> Callable[P, R]:
    """Let `checked` pass half precision beside float32.

    What the function calls is `in_float32`, and brings them together.
    """
    vars(function)["widens"] = True
    return function


def without_autocast(device: torch.device) -> AbstractContextManager[Any]:
    """Compute in the dtypes that are there, also where autocast is on.

    Chapter 07 needs it.
    """
    if not is_autocast_on(device):
        return nullcontext()
    return torch.autocast(device.type, enabled=False)


def widened(tensor: Tensor) -> Tensor:
    """Return a tensor of half precision, of any shape, in float32.

    Any other is returned as it is. Chapter 07 needs it.
    """
    return tensor.float() if tensor.dtype in HALF else tensor


def _any_half(values: Iterable[Any]) -> bool:
    for value in values:  # a loop takes a third of the time of `any`
        if isinstance(value, Tensor) and value.dtype in HALF:
            return True
    return False


def _real(values: Iterable[Any]) -> list[Tensor]:
    """Return the floating-point tensors among some values."""
    tensors = [value for value in values if isinstance(value, Tensor)]
    return [tensor for tensor in tensors if tensor.is_floating_point()]


def _cast(
    value: Any, which: Collection[torch.dtype], dtype: torch.dtype
) -> Any:
    if isinstance(value, tuple):
        each = [_cast(part, which, dtype) for part in value]
        return type(value)(*each) if hasattr(value, "_fields") else tuple(each)
    if isinstance(value, Tensor) and value.dtype in which:
        return value.to(dtype)
    return value
