"""An answer's result together with its gradients, for cases whose inputs require them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True)
class Differentiated:
    """What an answer returned, and how it depends on the inputs.

    Args:
        value: what the answer returned.
        gradients: by input, the gradient of a weighted sum of the value; None where the value does
            not depend on that input as far as autograd knows.
        error: what autograd said where it could compute none of them; empty otherwise.
    """

    value: Any
    gradients: Mapping[str, Tensor | None]
    error: str = ""


def wants_gradients(inputs: Mapping[str, Any]) -> bool:
    """Whether one of the inputs is a tensor that requires a gradient."""
    return bool(_leaves(inputs))


def differentiate(answer: Callable[..., Any], inputs: Mapping[str, Any]) -> Differentiated:
    """Call the answer and return its value with the gradients of all inputs that require one.

    The answer gets copies, so that writing to an input in place is no error here. The elements of
    the value are weighted 1/n, 2/n, ..., 1: with equal weights a softmax would have no gradient.
    """
    leaves = _leaves(inputs)
    with torch.enable_grad():
        value = answer(*(inputs[k].clone() if k in leaves else inputs[k] for k in inputs))
    if not (isinstance(value, Tensor) and value.is_floating_point() and value.requires_grad):
        return Differentiated(value, dict.fromkeys(leaves))
    count = value.numel()
    weights = torch.arange(1, count + 1, dtype=value.dtype, device=value.device) / max(count, 1)
    try:
        found = torch.autograd.grad(
            value, list(leaves.values()), weights.reshape(value.shape), allow_unused=True
        )
    except RuntimeError as error:
        return Differentiated(value, dict.fromkeys(leaves), str(error))
    return Differentiated(value, dict(zip(leaves, found, strict=True)))


def _leaves(inputs: Mapping[str, Any]) -> dict[str, Tensor]:
    tensors = {name: value for name, value in inputs.items() if isinstance(value, Tensor)}
    return {name: tensor for name, tensor in tensors.items() if tensor.requires_grad}
