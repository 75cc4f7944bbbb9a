"""First values of parameters, written in place."""

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

from smalltorch.grad_mode import no_grad
from smalltorch.names import lacking
from smalltorch.tensor import Tensor

__all__ = [
    "calculate_gain", "constant_", "eye_", "kaiming_normal_", "kaiming_uniform_", "normal_",
    "ones_", "uniform_", "xavier_normal_", "xavier_uniform_", "zeros_",
]  # fmt: skip


def _unrecorded(write: Callable[..., Any]) -> Callable[..., Tensor]:
    @wraps(write)
    def call(tensor: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        with no_grad():
            write(tensor, *args, **kwargs)
        return tensor

    return call


@_unrecorded
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Any:
    """Draw evenly between a and b."""
    tensor.uniform_(a, b, generator=generator)


@_unrecorded
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Any:
    """Draw from a normal distribution."""
    tensor.normal_(mean, std, generator=generator)


@_unrecorded
def constant_(tensor: Tensor, val: float) -> Any:
    """Write one number everywhere."""
    tensor.fill_(val)


@_unrecorded
def ones_(tensor: Tensor) -> Any:
    """Write 1 everywhere."""
    tensor.fill_(1.0)


@_unrecorded
def zeros_(tensor: Tensor) -> Any:
    """Write 0 everywhere."""
    tensor.fill_(0.0)


@_unrecorded
def eye_(tensor: Tensor) -> Any:
    """Write 1 on the diagonal, 0 elsewhere."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    tensor.fill_(0.0).fill_diagonal_(1.0)


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Draw evenly between -a and a, with a = gain sqrt(6 / (fan_in + fan_out))."""
    bound = math.sqrt(3.0) * gain * math.sqrt(2.0 / sum(_fans(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Draw from a normal distribution with variance gain^2 2 / (fan_in + fan_out)."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(_fans(tensor))), generator)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    """Draw evenly between -b and b, with b = gain sqrt(3 / fan)."""
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    """Draw from a normal distribution with deviation gain / sqrt(fan)."""
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the factor that makes up for what a nonlinearity takes away."""
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    gains = {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4, "linear": 1, "sigmoid": 1}
    if nonlinearity not in gains:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return gains[nonlinearity]


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan = _fans(tensor)[mode == "fan_out"]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def _fans(tensor: Tensor) -> tuple[int, int]:
    """Return how many numbers come into one output, and go out of one input."""
    if tensor.ndim < 2:
        raise ValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
        )
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def __getattr__(name: str) -> object:
    raise lacking(name, "torch.nn.init")
