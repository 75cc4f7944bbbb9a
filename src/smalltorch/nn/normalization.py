"""Layers that bring numbers to mean 0 and variance 1, or to a mean square of 1."""

import math
from collections.abc import Iterable
from typing import Any

from smalltorch import dtypes
from smalltorch.arguments import kind_name
from smalltorch.autograd import record
from smalltorch.dtypes import class_name, finfo
from smalltorch.overrides import operation
from smalltorch.refusal import not_here
from smalltorch.tensor import Tensor, made, values


@operation
def layer_norm(
    input: Tensor,
    normalized_shape: Any,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-05,
) -> Tensor:
    """Return (x - mean) / sqrt(variance + eps) weight + bias, over the last axes."""
    given = [each.dtype for each in (weight, bias) if each is not None]
    if given and given[0] is not input.dtype:
        if any(each is not dtypes.float32 for each in given):
            raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
        if input.dtype not in (dtypes.float16, dtypes.bfloat16):
            raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")
    shape = _normalized_shape("layer_norm", input, normalized_shape, weight, bias, "[*, ")
    _refuse_integers(input, "LayerNormKernelImpl")
    rows = _standardized(input, len(shape), eps, centred=True)
    return _scaled(rows, weight, bias).to(input.dtype)


@operation
def rms_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """Return x / sqrt(mean x^2 + eps) weight, over the last axes."""
    shape = _normalized_shape("rms_norm", input, normalized_shape, weight, None, "[*")
    _refuse_integers(input, "rms_norm")
    eps = finfo(input.dtype).eps if eps is None else eps
    rows = _standardized(input, len(shape), eps, centred=False)
    return _scaled(rows, weight).to(input.dtype)


@operation
def batch_norm(
    input: Tensor,
    running_mean: None,
    running_var: None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Tensor:
    """Return (x - mean) / sqrt(variance + eps) weight + bias, over all axes but 1."""
    if running_mean is not None or running_var is not None:
        raise not_here("nn.functional.batch_norm with running means")
    if not training:
        raise RuntimeError("running_mean must be defined in evaluation mode")
    if input.numel() == input.size(1):
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {input.shape}"
        )
    channels = input.transpose(0, 1)
    rows = _standardized(channels.flatten(1), 1, eps, centred=True).reshape(channels.shape)
    shape = (1, -1, *(1 for _axis in input.shape[2:]))
    parameters = [each if each is None else each.reshape(shape) for each in (weight, bias)]
    result: Tensor = _scaled(rows.transpose(0, 1), *parameters)
    return result


def _normalized_shape(
    name: str, input: Tensor, shape: Any, weight: Tensor | None, bias: Tensor | None, opening: str
) -> tuple[int, ...]:
    if not isinstance(shape, (tuple, list)):
        raise TypeError(
            f"{name}(): argument 'normalized_shape' (position 2) must be tuple of ints, not "
            f"{kind_name(shape)}"
        )
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
            "element, but got normalized_shape = []"
        )
    for what, each in (("weight", weight), ("bias", bias)):
        if each is not None and list(each.shape) != list(shape):
            raise RuntimeError(
                f"Expected {what} to be of same shape as normalized_shape, but got {what} of shape "
                f"{list(each.shape)} and normalized_shape = {list(shape)}"
            )
    if list(input.shape[-len(shape) :]) != list(shape):
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape "
            f"{opening}{', '.join(map(str, shape))}], but got input of size{list(input.shape)}"
        )
    return tuple(shape)


def _refuse_integers(input: Tensor, kernel: str) -> None:
    if input.dtype.kind < dtypes.FLOAT:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{class_name(input.dtype)}'")


def _standardized(input: Tensor, axes: int, eps: float, *, centred: bool) -> Tensor:
    """Return the numbers over the root of their mean square plus eps, over the last axes.

    Args:
        input: floats.
        axes: how many of the last axes belong together.
        eps: under the root.
        centred: whether the mean is taken away first.
    """
    last = list(range(-axes, 0))

    def centre(x: Tensor) -> Any:
        return x - x.mean(last, keepdim=True) if centred else x

    def slope(gradient: Tensor, x: Tensor) -> Any:
        middle = centre(x)
        scale = (middle.square().mean(last, keepdim=True) + eps).rsqrt()
        unit = middle * scale
        along = unit * (gradient * unit).mean(last, keepdim=True)
        return scale * (centre(gradient) - along)

    result = made(_unit_rows(input, axes, eps, centred), input.shape, input.dtype)
    return record(result, "NativeLayerNorm", (input, slope, input))


def _unit_rows(input: Tensor, axes: int, eps: float, centred: bool) -> Iterable[float]:
    size, numbers = math.prod(input.shape[-axes:]), values(input)
    for start in range(0, len(numbers), max(size, 1)):
        row = list(numbers[start : start + size])
        if centred:
            mean = sum(row) / size
            row = [number - mean for number in row]
        variance = sum(map(float.__mul__, row, row)) / size
        scale = 1 / math.sqrt(variance + eps) if variance + eps else math.inf
        yield from [number * scale for number in row]


def _scaled(rows: Tensor, weight: Tensor | None, bias: Tensor | None = None) -> Any:
    rows = rows if weight is None else rows * weight
    return rows if bias is None else rows + bias
