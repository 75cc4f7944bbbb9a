"""One line of code, run with torch and with the small torch."""

from typing import Any

import torch

from tests.smalltorch.both import same


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

    def twice(module: Any, *tensors: Any) -> Any:
        leaves = [each.detach().clone().requires_grad_() for each in tensors]
        total = sum((each**3).sum() for each in value(module, *leaves))
        first = module.autograd.grad(total, leaves, create_graph=True)
        second = sum((each**2).sum() for each in first)
        return module.autograd.grad(second, leaves)

    same(value, *inputs, gradients=True)
    same(twice, *inputs, limit=1e-9)
