"""Sparse attention against torch: its fused kernel under a mask, and flex_attention's masks."""

from collections.abc import Callable

import pytest
import torch
from torch.nn.attention.flex_attention import create_mask
from torch.nn.functional import scaled_dot_product_attention

from bottomup.attention import (
    fixed_attention,
    fixed_mask_mod,
    fixed_masks,
    strided_attention,
    strided_mask_mod,
    strided_masks,
)

TOLERANCE = {torch.float64: 1e-12, torch.float32: 2e-5}
TOLERANCE_CUDA = {torch.float64: 1e-10, torch.float32: 4e-3}  # products may be rounded to TF32

in_each_dtype = pytest.mark.parametrize("dtype", TOLERANCE, ids=str)


def draw(n: int, dtype: torch.dtype, device: torch.device) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(7)
    drawn = torch.randn(3, 2, 3, n, 5, generator=generator, dtype=torch.float64)
    return [tensor.to(device, dtype).requires_grad_() for tensor in drawn]


@in_each_dtype
@pytest.mark.parametrize("n, size", [(1, 3), (7, 7), (61, 7), (257, 17)])
@pytest.mark.parametrize("name", ["strided", "fixed"])
def test_torch_gives_the_same_under_the_mask(name, n, size, dtype, device):
    inputs = draw(n, dtype, device)
    if name == "strided":
        output, masks = strided_attention(*inputs, stride=size), strided_masks(n, size)
    else:
        output, masks = fixed_attention(*inputs, block=size, summary=2), fixed_masks(n, size, 2)
    mask = (masks[0] | masks[1]).to(device)
    dense = scaled_dot_product_attention(*inputs, attn_mask=mask)
    atol = (TOLERANCE if device.type == "cpu" else TOLERANCE_CUDA)[dtype]
    torch.testing.assert_close(output, dense, rtol=0, atol=atol)
    weigh = torch.linspace(-1, 1, dense.numel(), dtype=dtype, device=device).reshape(dense.shape)
    mine, theirs = (torch.autograd.grad(each, inputs, weigh) for each in (output, dense))
    for one, other in zip(mine, theirs, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=10 * atol)


def plain(mask_mod: Callable) -> Callable:
    """Show torch the four arguments, which the run-time check of types hides."""
    return lambda batch, head, query, key: mask_mod(batch, head, query, key)


@pytest.mark.parametrize("n, size", [(1, 3), (7, 7), (61, 7)])
def test_flex_attentions_masks_are_ours(n, size, device):
    window, column = strided_masks(n, size, device=device)
    made = create_mask(plain(strided_mask_mod(size)), None, None, n, n, device=device.type)
    assert torch.equal(made[0, 0], window | column)
    own, summaries = fixed_masks(n, size, 2, device=device)
    made = create_mask(plain(fixed_mask_mod(size, 2)), None, None, n, n, device=device.type)
    assert torch.equal(made[0, 0], own | summaries)
