import pytest
import torch
import torch.nn.functional as F

from bottomup.attention import SelfAttention
from bottomup.masks import causal_mask
from tests.drawn import global_seed, randn

BATCH, N, D_MODEL, D_KEY = 2, 5, 7, 3


def layer_of(seed: int = 0) -> SelfAttention:
    with global_seed(seed):
        return SelfAttention(D_MODEL, d_key=D_KEY).double()


def test_it_is_torch_attention_of_its_three_maps():
    layer, x = layer_of(), randn(BATCH, N, D_MODEL)
    mask = causal_mask(N)
    output, weights = layer(x, mask)
    maps = (x @ linear.weight.T for linear in (layer.W_Q, layer.W_K, layer.W_V))
    expected = F.scaled_dot_product_attention(*maps, attn_mask=mask)
    assert torch.allclose(output, expected, atol=1e-12)
    assert weights.shape == (BATCH, N, N)


def test_the_widths_are_as_asked():
    layer = layer_of()
    assert layer.W_Q.weight.shape == layer.W_K.weight.shape == (D_KEY, D_MODEL)
    assert layer.W_V.weight.shape == (D_MODEL, D_MODEL)
    assert sum(p.numel() for p in SelfAttention(D_MODEL).parameters()) == 3 * D_MODEL**2


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match=r"x: expected axes \[..., position, d_model=7\]"):
        layer_of()(randn(N, D_MODEL + 1))
