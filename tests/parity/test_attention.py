"""The attention functions against torch's own building blocks, forward and backward."""

import pytest
import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from bottomup.attention import AdditiveAttention, DotAttention, GeneralAttention, masked_softmax

BATCH, QUERY, KEY, D_QUERY, D_KEY, D_ATTENTION, D_VALUE = 2, 3, 5, 7, 11, 13, 17
MASKS = {
    "none": None,
    "padding": torch.tensor([[[True, True, False, False, False]], [[True] * KEY]]),
    "full": torch.arange(BATCH * QUERY * KEY).reshape(BATCH, QUERY, KEY) % 4 != 0,
}
TOLERANCE = {torch.float64: 1e-12, torch.float32: 1e-5}


def randn(*shape, dtype, seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype)


def assert_same(got, want, inputs, dtype):
    """Compare outputs, and the gradients of a weighted sum of them."""
    tolerance = {"rtol": TOLERANCE[dtype], "atol": TOLERANCE[dtype]}
    torch.testing.assert_close(got, want, **tolerance)
    weight = randn(*got.shape, dtype=dtype, seed=9)
    gradients = torch.autograd.grad((got * weight).sum(), inputs)
    expected = torch.autograd.grad((want * weight).sum(), inputs)
    for ours, theirs in zip(gradients, expected, strict=True):
        torch.testing.assert_close(ours, theirs, **tolerance)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", MASKS)
def test_masked_softmax_is_torch_softmax_over_the_allowed_keys(name, dtype):
    scores = randn(BATCH, QUERY, KEY, dtype=dtype, seed=1).requires_grad_()
    blocked = torch.zeros(()) if MASKS[name] is None else torch.where(MASKS[name], 0.0, -torch.inf)
    want = torch.softmax(scores + blocked.to(dtype), dim=-1)
    assert_same(masked_softmax(scores, MASKS[name]), want, [scores], dtype)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", MASKS)
def test_dot_attention_is_sdpa_without_scaling(name, dtype):
    query = randn(BATCH, QUERY, D_KEY, dtype=dtype, seed=1).requires_grad_()
    key = randn(BATCH, KEY, D_KEY, dtype=dtype, seed=2).requires_grad_()
    value = randn(BATCH, KEY, D_VALUE, dtype=dtype, seed=3).requires_grad_()
    got, _ = DotAttention()(query, key, value, MASKS[name])
    want = scaled_dot_product_attention(query, key, value, attn_mask=MASKS[name], scale=1.0)
    assert_same(got, want, [query, key, value], dtype)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_general_attention_is_sdpa_on_mapped_keys(dtype):
    attention = GeneralAttention(D_QUERY, D_KEY).to(dtype)
    query = randn(BATCH, QUERY, D_QUERY, dtype=dtype, seed=1).requires_grad_()
    key = randn(BATCH, KEY, D_KEY, dtype=dtype, seed=2).requires_grad_()
    got, _ = attention(query, key, key)
    want = scaled_dot_product_attention(query, key @ attention.W_a.T, key, scale=1.0)
    assert_same(got, want, [query, key, attention.W_a], dtype)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", MASKS)
def test_additive_attention_is_two_linear_layers_and_tanh(name, dtype):
    attention = AdditiveAttention(D_QUERY, D_KEY, D_ATTENTION).to(dtype)
    hidden = nn.Linear(D_QUERY + D_KEY, D_ATTENTION, bias=False, dtype=dtype)
    with torch.no_grad():
        hidden.weight.copy_(torch.cat([attention.W_a, attention.U_a], dim=1))
    query = randn(BATCH, QUERY, D_QUERY, dtype=dtype, seed=1).requires_grad_()
    key = randn(BATCH, KEY, D_KEY, dtype=dtype, seed=2).requires_grad_()
    value = randn(BATCH, KEY, D_VALUE, dtype=dtype, seed=3).requires_grad_()
    left = query[:, :, None].expand(-1, -1, KEY, -1)
    right = key[:, None].expand(-1, QUERY, -1, -1)
    scores = torch.tanh(hidden(torch.cat([left, right], dim=-1))) @ attention.v_a
    blocked = torch.zeros(()) if MASKS[name] is None else torch.where(MASKS[name], 0.0, -torch.inf)
    want = torch.softmax(scores + blocked.to(dtype), dim=-1) @ value
    got, _ = attention(query, key, value, MASKS[name])
    assert_same(got, want, [query, key, value, attention.v_a], dtype)
