"""Shares that sum to one along an axis, and their logarithms."""

import math
from itertools import repeat
from operator import sub, truediv
from typing import Any

from smalltorch import dtypes
from smalltorch.autograd import record
from smalltorch.dtypes import class_name
from smalltorch.geometry import axis_of
from smalltorch.lines import Line, lines, woven
from smalltorch.overrides import operation
from smalltorch.tensor import Tensor, made

FUNCTIONS = METHODS = "softmax log_softmax"


@operation
def softmax(input: Tensor, dim: int, dtype: dtypes.dtype | None = None) -> Tensor:
    """Return exp(input) / sum(exp(input)) along an axis; nan where all of it is -inf."""
    input, axis = _checked("softmax", input, dim, dtype)
    result = _along(_shares, input, axis)

    def rule(gradient: Tensor, shares: Tensor) -> Any:
        weighted = gradient * shares
        return weighted - shares * weighted.sum(axis, keepdim=True)

    return record(result, "Softmax", (input, rule, result))


@operation
def log_softmax(input: Tensor, dim: int, dtype: dtypes.dtype | None = None) -> Tensor:
    """Return log(softmax(input)) along an axis, however small the shares are."""
    input, axis = _checked("log_softmax", input, dim, dtype)
    result = _along(_log_shares, input, axis)

    def rule(gradient: Tensor, logs: Tensor) -> Any:
        return gradient - logs.exp() * gradient.sum(axis, keepdim=True)

    return record(result, "LogSoftmax", (input, rule, result))


def _checked(name: str, input: Tensor, dim: Any, dtype: Any) -> tuple[Tensor, int]:
    input, axis = input if dtype is None else input.to(dtype), axis_of(dim, input.ndim)
    if input.dtype.kind != dtypes.FLOAT:
        where = "lastdim_" if axis >= input.ndim - 1 else ""
        raise NotImplementedError(
            f"\"{name}_{where}kernel_impl\" not implemented for '{class_name(input.dtype)}'"
        )
    return input, axis


def _along(function: Any, input: Tensor, axis: int) -> Tensor:
    along = list(map(function, lines(input, (axis,)[: input.ndim])))
    return made(woven(along, input.shape, axis), input.shape, input.dtype)


def _shares(line: Line) -> list[float]:
    if not line:
        return []
    exponentials = list(map(math.exp, map(sub, line, repeat(max(line)))))
    return list(map(truediv, exponentials, repeat(sum(exponentials))))


def _log_shares(line: Line) -> list[float]:
    if not line:
        return []
    away = list(map(sub, line, repeat(max(line))))
    return list(map(sub, away, repeat(math.log(sum(map(math.exp, away))))))
