"""One line of code, run with torch and with the small torch."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch

from tests.smalltorch.both import same, twice

X = (torch.arange(30.0, dtype=torch.float64) * 7 % 11 / 5 - 1).reshape(2, 3, 5)
Y = (torch.arange(30.0, dtype=torch.float64) * 5 % 13 / 6 - 1).reshape(2, 3, 5)


def values_of(lines: str) -> Callable[..., None]:
    """Return a test that compares what each line returns, its strides, or its error."""

    @pytest.mark.filterwarnings("ignore")  # what torch finds out of date
    @pytest.mark.parametrize("line", lines.strip().splitlines())
    def test(line: str) -> None:
        same_line(line)

    return test


def gradients_of(lines: str) -> Callable[..., None]:
    """Return a test that compares value, gradients and second derivatives of lines in x and y."""

    @pytest.mark.filterwarnings("ignore")
    @pytest.mark.parametrize("line", lines.strip().splitlines())
    def test(line: str) -> None:
        same_gradients(line, X, *([Y] if re.search(r"\by\b", line) else []))

    return test


def names(module: Any) -> dict[str, Any]:
    """Return what a line may use, made with one of the two."""
    return {
        "torch": module,
        "x": module.arange(30.0).reshape(2, 3, 5),
        "v": module.arange(3.0),
        "s": module.tensor(1.0),
        "i": module.tensor([0, 2]),
        "m": module.tensor([False, True, True]),
        "index": module.zeros(2, 1, 5, dtype=module.int64),
        "written": written,
    }


def written(tensor: Any, key: Any, value: Any) -> Any:
    """Return a copy of a tensor with `tensor[key] = value`."""
    copy = tensor.clone()
    copy[key] = value
    return copy


def same_line(line: str) -> None:
    """Hold what a line returns, its strides, or its error to the same."""

    def run(module: Any) -> Any:
        value = eval(line, names(module))
        tensors = value if isinstance(value, tuple | list) else [value]
        return value, [tuple(each.stride()) for each in tensors if hasattr(each, "stride")]

    same(run)


def same_gradients(line: str, *inputs: torch.Tensor) -> None:
    """Hold value, gradient and second derivative of a line in `x`, and in `y`, to the same."""

    def value(module: Any, *tensors: Any) -> Any:
        found = eval(line, names(module) | dict(zip("xy", tensors, strict=False)))
        return [each for each in (found if isinstance(found, tuple) else (found,))]

    same(value, *inputs, gradients=True)
    same(twice(value), *inputs, limit=1e-9)
