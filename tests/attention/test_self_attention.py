import pytest
import torch
import torch.nn.functional as F

from bottomup.attention import SelfAttention, fused_attention
from bottomup.masks import causal_mask
from tests.drawn import global_seed, randn

BATCH, N, D_MODEL, D_KEY = 2, 5, 7, 3


def layer_of(seed: int = 0) -> SelfAttention:
    with global_seed(seed):
        return SelfAttention(D_MODEL, d_key=D_KEY).double()


def test_two_words_by_hand():
    layer = SelfAttention(1).double()
    for linear, weight in ((layer.W_Q, 2.0), (layer.W_K, 1.0), (layer.W_V, 10.0)):
        linear.weight.data.fill_(weight)
    # x = (0, 1): query (0, 2), key (0, 1); scores rows (0, 0) and (0, 2); values (0, 10)
    output, weights = layer(torch.tensor([[0.0], [1.0]], dtype=torch.float64))
    second = torch.tensor([0.0, 2.0], dtype=torch.float64).softmax(0)
    assert torch.allclose(weights, torch.stack([torch.full_like(second, 0.5), second]))
    assert torch.allclose(output, torch.stack([weights[0, 1:] * 10, second[1:] * 10]))


def test_it_is_torch_attention_of_its_three_maps():
    layer, x = layer_of(), randn(BATCH, N, D_MODEL)
    mask = causal_mask(N)
    output, weights = layer(x, mask)
    maps = (x @ linear.weight.T for linear in (layer.W_Q, layer.W_K, layer.W_V))
    expected = F.scaled_dot_product_attention(*maps, attn_mask=mask)
    assert torch.allclose(output, expected, atol=1e-12)
    assert weights.shape == (BATCH, N, N)


def test_without_weights_the_output_is_the_same(device):
    layer, x = layer_of().to(device), randn(BATCH, N, D_MODEL).to(device)
    output, weights = layer(x, attend=fused_attention)
    assert weights is None
    assert torch.allclose(output, layer(x)[0], atol=1e-12)


def test_the_widths_are_as_asked():
    layer = layer_of()
    assert layer.W_Q.weight.shape == layer.W_K.weight.shape == (D_KEY, D_MODEL)
    assert layer.W_V.weight.shape == (D_MODEL, D_MODEL)
    assert sum(p.numel() for p in SelfAttention(D_MODEL).parameters()) == 3 * D_MODEL**2


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="d_key: expected an integer of at least 1, got 0"):
        SelfAttention(D_MODEL, d_key=0)
    with pytest.raises(ValueError, match=r"x: expected axes \[..., position, d_model=7\]"):
        layer_of()(randn(N, D_MODEL + 1))
    with pytest.raises(TypeError, match="x: expected the dtype torch.float64 of W_Q"):
        layer_of()(randn(N, D_MODEL).float())
