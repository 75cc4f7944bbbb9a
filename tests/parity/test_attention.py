"""The attention functions against torch's own building blocks, forward and backward."""

import pytest
import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from bottomup.attention import AdditiveAttention, DotAttention, GeneralAttention, masked_softmax
from tests.parity.comparison import assert_same, draw, in_each_dtype

BATCH, QUERY, KEY, D_QUERY, D_KEY, D_ATTENTION, D_VALUE = 2, 3, 5, 7, 11, 13, 17
MASKS = {
    "none": None,
    "padding": torch.tensor([[[True, True, False, False, False]], [[True] * KEY]]),
    "full": torch.arange(BATCH * QUERY * KEY).reshape(BATCH, QUERY, KEY) % 4 != 0,
}


def mask_named(name, device):
    return None if MASKS[name] is None else MASKS[name].to(device)


def blocked(mask, dtype, device):
    """An additive mask: 0 where attending is allowed, -inf elsewhere."""
    if mask is None:
        return torch.zeros((), dtype=dtype, device=device)
    return torch.where(mask, 0.0, -torch.inf).to(dtype)


@in_each_dtype
@pytest.mark.parametrize("name", MASKS)
def test_masked_softmax_is_torch_softmax_over_the_allowed_keys(name, dtype, device):
    mask = mask_named(name, device)
    scores = draw(BATCH, QUERY, KEY, dtype=dtype, seed=1, device=device)
    want = torch.softmax(scores + blocked(mask, dtype, device), dim=-1)
    assert_same(masked_softmax(scores, mask), want, [scores])


@in_each_dtype
@pytest.mark.parametrize("name", MASKS)
def test_dot_attention_is_sdpa_without_scaling(name, dtype, device):
    mask = mask_named(name, device)
    query = draw(BATCH, QUERY, D_KEY, dtype=dtype, seed=1, device=device)
    key = draw(BATCH, KEY, D_KEY, dtype=dtype, seed=2, device=device)
    value = draw(BATCH, KEY, D_VALUE, dtype=dtype, seed=3, device=device)
    got, _ = DotAttention()(query, key, value, mask)
    want = scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=1.0)
    assert_same(got, want, [query, key, value])


@in_each_dtype
def test_general_attention_is_sdpa_on_mapped_keys(dtype, device):
    attention = GeneralAttention(D_QUERY, D_KEY).to(device, dtype)
    query = draw(BATCH, QUERY, D_QUERY, dtype=dtype, seed=1, device=device)
    key = draw(BATCH, KEY, D_KEY, dtype=dtype, seed=2, device=device)
    got, _ = attention(query, key, key)
    want = scaled_dot_product_attention(query, key @ attention.W_a.T, key, scale=1.0)
    assert_same(got, want, [query, key, attention.W_a])


@in_each_dtype
@pytest.mark.parametrize("name", MASKS)
def test_additive_attention_is_two_linear_layers_and_tanh(name, dtype, device):
    mask = mask_named(name, device)
    attention = AdditiveAttention(D_QUERY, D_KEY, D_ATTENTION).to(device, dtype)
    hidden = nn.Linear(D_QUERY + D_KEY, D_ATTENTION, bias=False, dtype=dtype, device=device)
    with torch.no_grad():
        hidden.weight.copy_(torch.cat([attention.W_a, attention.U_a], dim=1))
    query = draw(BATCH, QUERY, D_QUERY, dtype=dtype, seed=1, device=device)
    key = draw(BATCH, KEY, D_KEY, dtype=dtype, seed=2, device=device)
    value = draw(BATCH, KEY, D_VALUE, dtype=dtype, seed=3, device=device)
    left = query[:, :, None].expand(-1, -1, KEY, -1)
    right = key[:, None].expand(-1, QUERY, -1, -1)
    scores = torch.tanh(hidden(torch.cat([left, right], dim=-1))) @ attention.v_a
    want = torch.softmax(scores + blocked(mask, dtype, device), dim=-1) @ value
    got, _ = attention(query, key, value, mask)
    assert_same(got, want, [query, key, value, attention.v_a])
