"""Blocks against torch's: LayerNorm and the encoder layer, outputs and all gradients."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from bottomup.attention import from_torch
from bottomup.blocks import EncoderLayer, FeedForward, LayerNorm, layer_norm
from tests.drawn import global_seed, learned
from tests.parity.comparison import assert_same, close, draw, gradients, in_each_dtype

BATCH, HEADS, N, D_MODEL, D_FF = 2, 3, 5, 6, 11
CAUSAL = torch.ones(N, N, dtype=torch.bool).tril()
PADDING = torch.tensor([[True] * 3 + [False] * 2, [True] * 5])  # [batch, key]
# ours, and what torch is told: True = may not attend
MASKS = {
    "none": (None, {}),
    "causal": (CAUSAL, {"src_mask": ~CAUSAL}),
    "padding": (PADDING[:, None], {"src_key_padding_mask": ~PADDING}),
    "causal and padding": (
        CAUSAL & PADDING[:, None],
        {"src_mask": ~CAUSAL, "src_key_padding_mask": ~PADDING},
    ),
}

in_both_places = pytest.mark.parametrize("norm", ["pre", "post"])


@in_each_dtype
@pytest.mark.parametrize("epsilon", [1e-5, 0.3])
@pytest.mark.parametrize("shape", [(7,), (5, 7), (2, 3, 5, 7)])
def test_layer_norm(shape, epsilon, dtype, device):
    sizes = (shape, (7,), (7,))
    inputs = [draw(*size, seed=n, dtype=dtype, device=device) for n, size in enumerate(sizes)]
    got = layer_norm(*inputs, epsilon=epsilon)
    want = F.layer_norm(inputs[0], (7,), *inputs[1:], eps=epsilon)
    assert_same(got, want, inputs, layer=True)


def test_a_new_layer_norm_does_what_torch_s_does(device):
    x = draw(BATCH, N, 7, seed=0, dtype=torch.float32, device=device)
    ours, theirs = LayerNorm(7).to(device), nn.LayerNorm(7).to(device)
    torch.testing.assert_close(ours(x), theirs(x), rtol=2e-6, atol=2e-6)


def torch_layer(norm: str, dtype: torch.dtype, activation: str = "relu", dropout: float = 0.0):
    """torch's layer in training mode, with gains and biases that are not one and zero.

    In evaluation mode torch may take another path, which gives no gradients.
    """
    with global_seed(4):
        layer = nn.TransformerEncoderLayer(
            D_MODEL, HEADS, D_FF, dropout, activation, batch_first=True, norm_first=norm == "pre"
        )
        return learned(layer).to(dtype)


def ours_from(theirs: nn.TransformerEncoderLayer, norm: str, activation: str = "relu"):
    """Our layer with copies of torch's weights."""
    weight = theirs.linear1.weight
    layer = EncoderLayer(
        D_MODEL, HEADS, D_FF, norm=norm, activation=activation, dropout=theirs.dropout1.p
    ).to(weight)
    layer.attention = from_torch(theirs.self_attn)
    with torch.no_grad():
        for ours, its in counterparts(layer, theirs):
            ours.copy_(its)
    return layer


def counterparts(layer: EncoderLayer, theirs: nn.TransformerEncoderLayer):
    """Pairs of parameters outside attention."""
    network, norms = (
        layer.feed_forward,
        (layer.around_attention.norm, layer.around_feed_forward.norm),
    )
    for ours, its in ((network.W_in, theirs.linear1), (network.W_out, theirs.linear2)):
        yield from ((ours.weight, its.weight), (ours.bias, its.bias))
    for ours, its in zip(norms, (theirs.norm1, theirs.norm2), strict=True):
        yield from ((ours.gain, its.weight), (ours.bias, its.bias))


def assert_same_layer(theirs, norm, activation, mask, torch_masks, dtype, device) -> None:
    x = draw(BATCH, N, D_MODEL, seed=1, dtype=dtype, device=device)
    ours = ours_from(theirs, norm, activation)
    got, _ = ours(x, None if mask is None else mask.to(device))
    want = theirs(x, **{name: given.to(device) for name, given in torch_masks.items()})
    torch.testing.assert_close(got, want, **close(device, dtype, layer=True))
    pairs = [(x, x), *counterparts(ours, theirs)]
    pairs.append((ours.attention.W_O.weight, theirs.self_attn.out_proj.weight))
    mine, its = zip(*pairs, strict=True)
    torch.testing.assert_close(
        gradients(got, mine), gradients(want, its), **close(device, dtype, layer=True)
    )


@in_both_places
@in_each_dtype
@pytest.mark.parametrize("name", MASKS)
def test_the_encoder_layer_under_every_kind_of_mask(name, dtype, norm, device):
    theirs = torch_layer(norm, dtype).to(device)
    assert_same_layer(theirs, norm, "relu", *MASKS[name], dtype, device)


@in_both_places
def test_the_encoder_layer_with_gelu(norm, device):
    theirs = torch_layer(norm, torch.float64, "gelu").to(device)
    assert_same_layer(theirs, norm, "gelu", *MASKS["causal"], torch.float64, device)


@in_both_places
def test_weights_asked_for_do_not_change_the_output(norm, device):
    theirs = torch_layer(norm, torch.float64).to(device)
    x = draw(BATCH, N, D_MODEL, seed=1, dtype=torch.float64, device=device)
    mask = CAUSAL.to(device)
    got, weights = ours_from(theirs, norm)(x, mask, need_weights=True)
    torch.testing.assert_close(
        got, theirs(x, src_mask=~mask), **close(device, torch.float64, layer=True)
    )
    assert weights.shape == (BATCH, HEADS, N, N)


@in_both_places
def test_dropout_falls_where_torch_lets_it_fall(norm):
    theirs = torch_layer(norm, torch.float64, dropout=0.4)
    ours = ours_from(theirs, norm)
    # one sequence: with several, torch's attention lays its output out with positions first, and
    # the dropout that follows draws in that order
    x = draw(1, N, D_MODEL, seed=1, dtype=torch.float64, device=torch.device("cpu"))
    outputs = []
    for layer in (ours, theirs):
        with global_seed(7):
            output = layer(x)
        outputs.append(output[0] if isinstance(output, tuple) else output)
    torch.testing.assert_close(*outputs, rtol=1e-12, atol=1e-12)
    assert not torch.allclose(outputs[0], ours.eval()(x)[0])


@pytest.mark.parametrize("activation", [nn.ReLU, nn.GELU])
def test_the_feed_forward_network_is_two_linear_layers(activation, device):
    name = activation.__name__.lower()
    ours = FeedForward(D_MODEL, D_FF, activation=name).double().to(device)
    theirs = nn.Sequential(ours.W_in, activation(), ours.W_out)
    x = draw(BATCH, N, D_MODEL, seed=1, dtype=torch.float64, device=device)
    assert torch.equal(ours(x), theirs(x))
