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
from tests.parity.comparison import assert_same, draw, in_each_dtype


@in_each_dtype
@pytest.mark.parametrize("n, size", [(1, 3), (7, 7), (61, 7), (257, 17)])
@pytest.mark.parametrize("name", ["strided", "fixed"])
def test_torch_gives_the_same_under_the_mask(name, n, size, dtype, device):
    inputs = list(draw(3, 2, 3, n, 5, seed=7, dtype=dtype, device=device))
    if name == "strided":
        output, masks = strided_attention(*inputs, stride=size), strided_masks(n, size)
    else:
        output, masks = fixed_attention(*inputs, block=size, summary=2), fixed_masks(n, size, 2)
    mask = (masks[0] | masks[1]).to(device)
    dense = scaled_dot_product_attention(*inputs, attn_mask=mask)
    assert_same(output, dense, inputs, factor=10, layer=True)


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
