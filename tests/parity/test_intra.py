"""Attention inside one sentence against torch's own recurrent networks and attention."""

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from bottomup.attention import LSTMN, distance_bias, intra_attention, intra_decoder_attention
from tests.drawn import global_seed
from tests.parity.comparison import assert_same, draw, in_each_dtype

BATCH, POSITIONS, D_WORD, D_STATE = 2, 5, 7, 11


def with_the_weights_of(lstm):
    """An LSTMN with the gates of a torch LSTM; torch's order is i, f, g, o."""
    model = LSTMN(D_WORD, D_STATE, 3).to(lstm.weight_ih_l0)
    both = torch.cat([lstm.weight_hh_l0, lstm.weight_ih_l0], dim=1)
    order = (
        torch.arange(4 * D_STATE, device=both.device).reshape(4, D_STATE)[[0, 1, 3, 2]].flatten()
    )
    with torch.no_grad():
        model.cell.gates.weight.copy_(both[order])
        model.cell.gates.bias.copy_((lstm.bias_ih_l0 + lstm.bias_hh_l0)[order])
    return model


@in_each_dtype
def test_an_lstmn_that_reads_only_the_word_before_is_torch_s_lstm(dtype, device):
    with global_seed(3):
        lstm = nn.LSTM(D_WORD, D_STATE, batch_first=True).to(device, dtype)
        model = with_the_weights_of(lstm)
    words = draw(BATCH, POSITIONS, D_WORD, dtype=dtype, seed=1, device=device)
    only_before = torch.eye(POSITIONS, dtype=torch.bool, device=device).roll(1, dims=0)
    assert_same(model(words, only_before)[0], lstm(words)[0], [words])


@in_each_dtype
def test_intra_attention_is_sdpa_with_its_bias_as_additive_mask(dtype, device):
    features = draw(BATCH, POSITIONS, D_STATE, dtype=dtype, seed=1, device=device)
    words = draw(BATCH, POSITIONS, D_WORD, dtype=dtype, seed=2, device=device)
    bias = draw(5, dtype=dtype, seed=3, device=device)
    want = scaled_dot_product_attention(
        features, features, words, attn_mask=distance_bias(bias, POSITIONS), scale=1.0
    )
    assert_same(intra_attention(features, words, bias)[0], want, [features, words, bias])


@in_each_dtype
def test_intra_decoder_attention_is_sdpa_over_the_steps_before(dtype, device):
    states = draw(BATCH, POSITIONS, D_STATE, dtype=dtype, seed=1, device=device)
    W_d = draw(D_STATE, D_STATE, dtype=dtype, seed=2, device=device)
    before = torch.ones(POSITIONS, POSITIONS, dtype=torch.bool, device=device).tril(-1)[1:]
    want = scaled_dot_product_attention(
        states[:, 1:] @ W_d, states, states, attn_mask=before, scale=1.0
    )
    assert_same(intra_decoder_attention(states, W_d)[0][:, 1:], want, [states, W_d])
