"""What every comparison with torch shares: the numbers, the limits, the gradients."""

from collections.abc import Sequence

import pytest
import torch
from torch import Tensor

from tests.drawn import randn

# Of one operation. A GPU's kernels sum in another order.
LIMITS = {
    "cpu": {torch.float64: 1e-12, torch.float32: 1e-5},
    "cuda": {torch.float64: 1e-10, torch.float32: 1e-4},
}
# Of a layer, whose maps a GPU may multiply in TF32, where it is asked for float32.
LAYER_LIMITS = {
    "cpu": {torch.float64: 1e-12, torch.float32: 2e-5},
    "cuda": {torch.float64: 1e-10, torch.float32: 4e-3},
}

in_each_dtype = pytest.mark.parametrize("dtype", LIMITS["cpu"], ids=str)


def close(
    device: torch.device, dtype: torch.dtype, *, factor: float = 1, layer: bool = False
) -> dict[str, float]:
    """What `torch.testing.assert_close` may overlook; a whole model may need a larger factor."""
    limit = factor * (LAYER_LIMITS if layer else LIMITS)[device.type][dtype]
    return {"rtol": limit, "atol": limit}


def draw(*shape: int, seed: int, dtype: torch.dtype, device: torch.device | str) -> Tensor:
    """The same numbers on every device; they want gradients."""
    return randn(*shape, seed=seed, dtype=dtype, device=device).requires_grad_()


def gradients(output: Tensor, inputs: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Of a weighted sum of the output, in which no element counts as much as another."""
    weight = torch.linspace(-1, 2, output.numel(), dtype=output.dtype, device=output.device)
    return torch.autograd.grad((output.flatten() * weight).sum(), inputs)


def assert_same(
    got: Tensor, want: Tensor, inputs: Sequence[Tensor], *, factor: float = 1, layer: bool = False
) -> None:
    """Compare outputs, and gradients up to a factor: each may be a sum over many positions."""
    torch.testing.assert_close(got, want, **close(got.device, got.dtype, layer=layer))
    limit = close(got.device, got.dtype, factor=factor, layer=layer)
    torch.testing.assert_close(gradients(got, inputs), gradients(want, inputs), **limit)
