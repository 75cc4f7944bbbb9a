import pytest
import torch

from bottomup.attention import fused_attention
from bottomup.blocks import AttentionLayer, EncoderLayer, PostNorm, PreNorm
from bottomup.masks import causal_mask
from tests.drawn import global_seed, learned, randn

BATCH, N, HEADS, D_MODEL, D_FF = 2, 5, 3, 6, 11
in_both_places = pytest.mark.parametrize("norm", ["pre", "post"])


def make(**options) -> EncoderLayer:
    with global_seed(0):
        return learned(EncoderLayer(D_MODEL, HEADS, D_FF, **options)).double()


def make_attention(**options) -> AttentionLayer:
    with global_seed(0):
        return learned(AttentionLayer(D_MODEL, HEADS, **options)).double()


def draw() -> torch.Tensor:
    return randn(BATCH, N, D_MODEL, seed=1)


def attend(layer: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:
    return layer.attention(x, x, x, attend=fused_attention)[0]


def test_pre_norm_step_by_step():
    layer, x = make(norm="pre"), draw()
    attention_norm, feed_norm = layer.around_attention.norm, layer.around_feed_forward.norm
    after = x + attend(layer, attention_norm(x))
    expected = after + layer.feed_forward(feed_norm(after))
    assert torch.equal(layer(x)[0], expected)


def test_post_norm_step_by_step():
    layer, x = make(norm="post"), draw()
    attention_norm, feed_norm = layer.around_attention.norm, layer.around_feed_forward.norm
    after = attention_norm(x + attend(layer, x))
    expected = feed_norm(after + layer.feed_forward(after))
    assert torch.equal(layer(x)[0], expected)


@in_both_places
def test_the_attention_layer_is_the_first_half(norm):
    layer, x = make_attention(norm=norm), draw()
    half = layer.around_attention.norm
    expected = x + attend(layer, half(x)) if norm == "pre" else half(x + attend(layer, x))
    assert torch.equal(layer(x)[0], expected)
    assert not hasattr(layer, "feed_forward")


def test_the_parts_have_their_names():
    assert isinstance(make(norm="pre").around_attention, PreNorm)
    assert isinstance(make(norm="post").around_feed_forward, PostNorm)
    layer = make(activation="gelu")
    assert layer.feed_forward.activation == "gelu"
    assert layer.attention.num_heads == HEADS


def test_pre_norm_is_the_default():
    assert torch.equal(make()(draw())[0], make(norm="pre")(draw())[0])


@pytest.mark.parametrize("make", [make, make_attention])
def test_weights_are_those_of_the_attention_and_given_only_when_asked_for(make):
    layer, x = make(), draw()
    mask = causal_mask(N)
    plain, nothing = layer(x, mask)
    output, weights = layer(x, mask, need_weights=True)
    assert nothing is None
    assert weights.shape == (BATCH, HEADS, N, N)
    assert torch.equal(weights > 0, mask.expand_as(weights))
    torch.testing.assert_close(output, plain, rtol=0, atol=1e-12)


@in_both_places
def test_with_a_causal_mask_no_position_sees_what_comes_later(norm, device):
    layer, x = make(norm=norm).to(device), draw().to(device)
    edited = x.clone()
    edited[:, 3:] += 1
    mask = causal_mask(N, device=device)
    one, other = layer(x, mask)[0], layer(edited, mask)[0]
    assert torch.equal(one[:, :3], other[:, :3])
    assert not torch.allclose(one[:, 3:], other[:, 3:])


@in_both_places
@pytest.mark.parametrize("make", [make, make_attention])
@pytest.mark.parametrize("need_weights", [True, False])
def test_causal_is_said_in_one_word(make, norm, need_weights):
    layer, x = make(norm=norm), draw()
    said, weights = layer(x, need_weights=need_weights, causal=True)
    masked, expected = layer(x, causal_mask(N), need_weights=need_weights)
    torch.testing.assert_close(said, masked, rtol=0, atol=1e-12)
    assert weights is None if expected is None else torch.equal(weights, expected)
    padding = torch.tensor([[True, True, False, True, True]])
    said = layer(x, padding, causal=True)[0]
    assert torch.equal(said, layer(x, padding & causal_mask(N))[0])


@in_both_places
def test_the_share_of_the_feed_forward_network_is_two_thirds_of_the_weights(norm):
    layer = EncoderLayer(D_MODEL, HEADS, 4 * D_MODEL, norm=norm)
    weights = sum(p.numel() for p in layer.parameters() if p.dim() == 2)
    assert weights == 12 * D_MODEL**2
    assert (
        sum(p.numel() for p in layer.feed_forward.parameters() if p.dim() == 2) * 3 == 2 * weights
    )
    vectors = sum(p.numel() for p in layer.parameters() if p.dim() == 1)
    assert vectors == 13 * D_MODEL


def test_dropout_reaches_the_updates_the_weights_and_the_activations():
    layer = make(dropout=0.3)
    assert layer.attention.dropout == layer.feed_forward.dropout == 0.3
    assert layer.around_attention.dropout.p == layer.around_feed_forward.dropout.p == 0.3
    assert torch.equal(layer.eval()(draw())[0], make()(draw())[0])


@pytest.mark.parametrize(
    "options, message",
    [
        ({"norm": "middle"}, "norm: expected one of 'pre', 'post', got 'middle'"),
        ({"num_heads": 4}, "num_heads: expected a divisor of d_model=6, got 4"),
        ({"d_ff": 0}, "d_ff: expected an integer of at least 1, got 0"),
        (
            {"activation": "silu"},
            "activation: expected one of 'relu', 'gelu', 'gelu_tanh', got 'silu'",
        ),
        ({"dropout": 1.0}, "dropout: expected a number >= 0 and < 1, got 1.0"),
    ],
)
def test_bad_choices_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        EncoderLayer(**{"d_model": D_MODEL, "num_heads": HEADS, "d_ff": D_FF, **options})


def test_the_attention_layer_refuses_bad_choices():
    with pytest.raises(ValueError, match="norm: expected one of 'pre', 'post', got None"):
        AttentionLayer(D_MODEL, HEADS, norm=None)


@in_both_places
def test_inputs_that_do_not_fit_are_refused(norm):
    layer, x = make(norm=norm), draw()
    for unfit in (x[..., :5], x[0]):
        with pytest.raises(ValueError, match=r"x: expected axes \[batch, position, d_model=6\]"):
            layer(unfit)
    with pytest.raises(TypeError, match="x: expected the dtype torch.float64 of attention.W_Q"):
        layer(x.float())
    with pytest.raises(TypeError, match="mask: expected a boolean mask"):
        layer(x, torch.ones(N, N))
    with pytest.raises(ValueError, match=r"mask: expected a shape that broadcasts to"):
        layer(x, causal_mask(N + 1))
