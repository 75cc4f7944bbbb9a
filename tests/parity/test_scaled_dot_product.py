"""Scaled dot-product attention against torch's kernel: both paths, forward and backward."""

import pytest
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention as torch_attention

from bottomup.attention import attention_for, fused_attention, scaled_dot_product_attention
from tests.drawn import global_seed
from tests.parity.comparison import assert_same, draw, in_each_dtype

BATCH, HEAD, QUERY, KEY, D_KEY, D_VALUE = 2, 3, 5, 7, 11, 13
PATHS = {"explicit": True, "fused": False}
CAUSAL = torch.ones(QUERY, KEY, dtype=torch.bool).tril()
PADDING = (torch.arange(KEY) < torch.tensor([[4], [7]]))[:, None, None]
MASKS = {
    "none": None,
    "causal": CAUSAL,
    "padding": PADDING,
    "causal and padding": CAUSAL & PADDING,
    "one for each head": torch.arange(HEAD * QUERY * KEY).reshape(HEAD, QUERY, KEY) % 4 != 0,
    "one for each pair": torch.arange(BATCH * HEAD * QUERY * KEY).reshape(2, 3, 5, 7) % 5 != 0,
    "one for all queries": torch.arange(KEY) % 3 != 1,
    "one for each query": torch.ones(QUERY, 1, dtype=torch.bool),
}
SIZES = {
    "cross lengths, d_value != d_key": (QUERY, KEY, D_VALUE),
    "cross lengths, d_value == d_key": (QUERY, KEY, D_KEY),
    "self-attention": (KEY, KEY, D_KEY),
    "one query": (1, KEY, D_VALUE),
}

on_both_paths = pytest.mark.parametrize("need_weights", PATHS.values(), ids=PATHS)


def tensors(
    sizes: tuple[int, int, int], dtype: torch.dtype, device: torch.device, leading=(BATCH, HEAD)
) -> list[Tensor]:
    """Query, key and value."""
    query, key, d_value = sizes
    shapes = [(query, D_KEY), (key, D_KEY), (key, d_value)]
    return [
        draw(*leading, *shape, seed=seed, dtype=dtype, device=device)
        for seed, shape in enumerate(shapes)
    ]


def mask_named(name: str, queries: int, device: torch.device) -> Tensor | None:
    """The mask, with its first rows only where there are fewer queries."""
    mask = MASKS[name]
    if mask is None:
        return None
    rows = mask if mask.dim() < 2 else mask[..., : min(queries, mask.shape[-2]), :]
    return rows.to(device)


@on_both_paths
@in_each_dtype
@pytest.mark.parametrize("name", MASKS)
def test_every_kind_of_mask_is_as_in_torch(name, dtype, need_weights, device):
    inputs = tensors((QUERY, KEY, D_VALUE), dtype, device)
    mask = mask_named(name, QUERY, device)
    got, _ = attention_for(need_weights)(*inputs, mask)
    # torch takes two axes or more; a mask of one row counts for every query
    theirs = mask[None] if mask is not None and mask.dim() == 1 else mask
    assert_same(got, torch_attention(*inputs, attn_mask=theirs), inputs)


@on_both_paths
@in_each_dtype
@pytest.mark.parametrize("name", ["none", "padding"])
@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
def test_every_size_is_as_in_torch(sizes, name, dtype, need_weights, device):
    inputs = tensors(sizes, dtype, device)
    mask = mask_named(name, sizes[0], device)
    got, _ = attention_for(need_weights)(*inputs, mask)
    assert_same(got, torch_attention(*inputs, attn_mask=mask), inputs)


@on_both_paths
@in_each_dtype
@pytest.mark.parametrize("leading", [(), (BATCH,), (HEAD, BATCH, 2)], ids=str)
def test_other_leading_axes_are_as_in_torch(leading, dtype, need_weights, device):
    inputs = tensors((QUERY, KEY, D_VALUE), dtype, device, leading)
    mask = CAUSAL.to(device)
    got, _ = attention_for(need_weights)(*inputs, mask)
    assert_same(got, torch_attention(*inputs, attn_mask=mask), inputs)


@on_both_paths
@in_each_dtype
def test_a_causal_mask_is_torch_s_is_causal(dtype, need_weights, device):
    inputs = tensors((KEY, KEY, D_KEY), dtype, device)
    mask = torch.ones(KEY, KEY, dtype=torch.bool, device=device).tril()
    got, _ = attention_for(need_weights)(*inputs, mask)
    assert_same(got, torch_attention(*inputs, is_causal=True), inputs)


@on_both_paths
@in_each_dtype
@pytest.mark.parametrize("scale", [0.25, 1, 3.0])
def test_the_scale_is_torch_s(scale, dtype, need_weights, device):
    inputs = tensors((QUERY, KEY, D_VALUE), dtype, device)
    got, _ = attention_for(need_weights)(*inputs, scale=scale)
    assert_same(got, torch_attention(*inputs, scale=scale), inputs)


@in_each_dtype
def test_both_paths_agree_where_rows_may_attend_to_nothing(dtype, device):
    # torch's own answer depends on its version and backend; ours is zero on both paths
    inputs = tensors((QUERY, KEY, D_VALUE), dtype, device)
    mask = (CAUSAL & PADDING).expand(BATCH, HEAD, QUERY, KEY).clone()
    mask[0, 1, 3], mask[1, :, 0] = False, False
    mask = mask.to(device)
    explicit, _ = scaled_dot_product_attention(*inputs, mask)
    fused, _ = fused_attention(*inputs, mask)
    assert fused[0, 1, 3].tolist() == [0.0] * D_VALUE
    assert fused[1, :, 0].abs().sum() == 0
    assert_same(fused, explicit, inputs)


def test_dropout_without_a_generator_is_torch_s(device):
    inputs = tensors((QUERY, KEY, D_VALUE), torch.float64, device)
    with global_seed(11):
        got, _ = fused_attention(*inputs, dropout=0.4)
        torch.manual_seed(11)
        want = torch_attention(*inputs, dropout_p=0.4)
    assert torch.equal(got, want)
    assert not torch.equal(got, torch_attention(*inputs))
