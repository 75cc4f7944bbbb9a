"""Local attention and the location score against torch's own building blocks."""

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from bottomup.attention import (
    DotAttention,
    LocalAttention,
    LocationAttention,
    gaussian_around,
    local_attention,
    predicted_center,
    window_around,
)
from bottomup.masks import window_mask
from tests.parity.comparison import assert_same, draw, in_each_dtype

BATCH, QUERY, KEY, D_QUERY, D_POSITION, D_VALUE, POSITIONS = 2, 3, 5, 7, 11, 13, 17


@in_each_dtype
def test_monotonic_attention_is_sdpa_with_a_band_for_a_mask(dtype, device):
    query = draw(BATCH, KEY, D_QUERY, dtype=dtype, seed=1, device=device)
    key = draw(BATCH, KEY, D_QUERY, dtype=dtype, seed=2, device=device)
    value = draw(BATCH, KEY, D_VALUE, dtype=dtype, seed=3, device=device)
    band = window_mask(KEY, 2, device=device)
    got, _ = LocalAttention(DotAttention(), half_width=2)(query, key, value)
    want = scaled_dot_product_attention(query, key, value, attn_mask=band, scale=1.0)
    assert torch.equal(window_around(torch.arange(KEY, device=device), KEY, 2), band)
    assert_same(got, want, [query, key, value])


@in_each_dtype
def test_predicted_center_is_two_linear_layers_tanh_and_sigmoid(dtype, device):
    query = draw(BATCH, QUERY, D_QUERY, dtype=dtype, seed=1, device=device)
    W_p = draw(D_POSITION, D_QUERY, dtype=dtype, seed=2, device=device)
    v_p = draw(D_POSITION, dtype=dtype, seed=3, device=device)
    lengths = torch.tensor([[5], [3]], device=device)
    inner, outer = nn.Linear(D_QUERY, D_POSITION, False), nn.Linear(D_POSITION, 1, False)
    layers = nn.Sequential(inner, nn.Tanh(), outer, nn.Sigmoid()).to(device, dtype)
    parameters = {"0.weight": W_p, "2.weight": v_p[None]}
    share = torch.func.functional_call(layers, parameters, query)[..., 0]
    got = predicted_center(query, lengths, W_p, v_p)
    assert_same(got, share * lengths, [query, W_p, v_p])


@in_each_dtype
def test_gaussian_is_torch_s_normal_density_over_its_peak(dtype, device):
    center = draw(BATCH, QUERY, dtype=dtype, seed=1, device=device)
    normal = torch.distributions.Normal(center[..., None], 3 / 2)
    positions = torch.arange(KEY, device=device, dtype=dtype)
    log_ratio = normal.log_prob(positions) - normal.log_prob(center[..., None])
    assert_same(gaussian_around(center, KEY, 3), log_ratio.exp(), [center])


@in_each_dtype
def test_local_p_is_sdpa_on_the_window_with_its_weights_multiplied(dtype, device):
    query = draw(BATCH, QUERY, D_QUERY, dtype=dtype, seed=1, device=device)
    key = draw(BATCH, KEY, D_QUERY, dtype=dtype, seed=2, device=device)
    value = draw(BATCH, KEY, D_VALUE, dtype=dtype, seed=3, device=device)
    center = torch.tensor([[0.2, 2.5, 4.9], [1.0, 3.3, 0.0]], dtype=dtype, device=device)
    window = window_around(center, KEY, 1)
    every = torch.eye(KEY, dtype=dtype, device=device).expand(BATCH, -1, -1)
    inside = scaled_dot_product_attention(query, key, every, attn_mask=window, scale=1.0)
    want = (inside * gaussian_around(center, KEY, 1)) @ value
    scores = query @ key.mT
    got, _ = local_attention(scores, value, center, half_width=1, gaussian=True)
    assert_same(got, want, [query, key, value])


@in_each_dtype
def test_location_attention_is_one_linear_layer_and_a_softmax(dtype, device):
    attention = LocationAttention(D_QUERY, POSITIONS).to(device, dtype)
    query = draw(BATCH, QUERY, D_QUERY, dtype=dtype, seed=1, device=device)
    value = draw(BATCH, KEY, D_VALUE, dtype=dtype, seed=2, device=device)
    layer = nn.functional.linear(query, attention.W_a)[..., :KEY]
    got, _ = attention(query, value, value)
    assert_same(got, layer.softmax(-1) @ value, [query, value, attention.W_a])
