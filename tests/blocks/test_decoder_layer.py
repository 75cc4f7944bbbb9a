import pytest
import torch
from torch import Tensor

from bottomup.attention import fused_attention
from bottomup.blocks import DecoderLayer, EncoderLayer, PostNorm, PreNorm
from bottomup.masks import causal_mask, padding_mask
from tests.drawn import global_seed, learned, randn

BATCH, TARGET, SOURCE, HEADS, D_MODEL, D_FF = 2, 5, 7, 3, 6, 11
in_both_places = pytest.mark.parametrize("norm", ["pre", "post"])
PADDING = padding_mask(torch.tensor([4, SOURCE]))


def make(**options) -> DecoderLayer:
    with global_seed(0):
        return learned(DecoderLayer(D_MODEL, HEADS, D_FF, **options)).double()


def draw(n: int = TARGET, seed: int = 1, batch: int = BATCH) -> Tensor:
    return randn(batch, n, D_MODEL, seed=seed)


def draw_memory() -> Tensor:
    return draw(SOURCE, seed=2)


# ---- What is computed


def parts(layer: DecoderLayer, memory: Tensor):
    def attend(x):
        return layer.attention(x, x, x, causal_mask(TARGET), attend=fused_attention)[0]

    def attend_to_memory(x):
        return layer.cross_attention(x, memory, memory, PADDING, attend=fused_attention)[0]

    around = (layer.around_attention, layer.around_cross_attention, layer.around_feed_forward)
    sublayers = (attend, attend_to_memory, layer.feed_forward)
    return zip((one.norm for one in around), sublayers, strict=True)


def test_pre_norm_step_by_step():
    layer, x, memory = make(norm="pre"), draw(), draw_memory()
    expected = x
    for norm, sublayer in parts(layer, memory):
        expected = expected + sublayer(norm(expected))
    assert torch.equal(layer(x, memory, causal_mask(TARGET), PADDING)[0], expected)


def test_post_norm_step_by_step():
    layer, x, memory = make(norm="post"), draw(), draw_memory()
    expected = x
    for norm, sublayer in parts(layer, memory):
        expected = norm(expected + sublayer(expected))
    assert torch.equal(layer(x, memory, causal_mask(TARGET), PADDING)[0], expected)


@in_both_places
def test_queries_come_from_the_stream_keys_and_values_from_the_memory(norm):
    layer, x, memory = make(norm=norm), draw(), draw_memory()
    _, (own, cross) = layer(x, memory, need_weights=True)
    assert own.shape == (BATCH, HEADS, TARGET, TARGET)
    assert cross.shape == (BATCH, HEADS, TARGET, SOURCE)
    turned = layer(x, memory.flip(1))[0]  # a set of vectors, read in another order
    torch.testing.assert_close(turned, layer(x, memory)[0], rtol=0, atol=1e-12)


@in_both_places
def test_with_cross_attention_silent_a_pre_norm_layer_is_an_encoder_layer(norm):
    layer, encoder = make(norm=norm), EncoderLayer(D_MODEL, HEADS, D_FF, norm=norm).double()
    encoder.load_state_dict({k: v for k, v in layer.state_dict().items() if "cross" not in k})
    for parameter in layer.cross_attention.W_O.parameters():
        torch.nn.init.zeros_(parameter)
    got, expected = layer(draw(), draw_memory())[0], encoder(draw())[0]
    assert torch.equal(got, expected) == (norm == "pre")  # a post-norm layer normalises once more


def test_pre_norm_is_the_default_and_the_parts_have_their_names():
    assert torch.equal(make()(draw(), draw_memory())[0], make(norm="pre")(draw(), draw_memory())[0])
    layer = make(norm="post", activation="gelu")
    assert isinstance(layer.around_cross_attention, PostNorm)
    assert isinstance(make().around_feed_forward, PreNorm)
    assert layer.feed_forward.activation == "gelu"
    assert layer.attention.num_heads == layer.cross_attention.num_heads == HEADS


@in_both_places
def test_the_share_of_the_feed_forward_network_is_half_of_the_weights(norm):
    layer = DecoderLayer(D_MODEL, HEADS, 4 * D_MODEL, norm=norm)
    weights = sum(p.numel() for p in layer.parameters() if p.dim() == 2)
    assert weights == 16 * D_MODEL**2
    network = sum(p.numel() for p in layer.feed_forward.parameters() if p.dim() == 2)
    assert 2 * network == weights
    assert sum(p.numel() for p in layer.parameters() if p.dim() == 1) == 19 * D_MODEL


def test_dropout_reaches_the_updates_the_weights_and_the_activations():
    layer = make(dropout=0.3)
    assert layer.attention.dropout == layer.cross_attention.dropout == 0.3
    assert layer.feed_forward.dropout == layer.around_cross_attention.dropout.p == 0.3
    assert layer.around_attention.dropout.p == layer.around_feed_forward.dropout.p == 0.3
    got = layer.eval()(draw(), draw_memory())[0]
    assert torch.equal(got, make()(draw(), draw_memory())[0])


# ---- Who sees whom


def test_weights_are_given_when_asked_for_and_follow_the_masks():
    layer, masks = make(), (causal_mask(TARGET), PADDING)
    plain, nothing = layer(draw(), draw_memory(), *masks)
    output, (own, cross) = layer(draw(), draw_memory(), *masks, need_weights=True)
    assert nothing is None
    assert torch.equal(own > 0, masks[0].expand_as(own))
    assert torch.equal(cross > 0, PADDING[:, None].expand_as(cross))
    torch.testing.assert_close(output, plain, rtol=0, atol=1e-12)


@in_both_places
def test_with_a_causal_mask_no_position_sees_what_comes_later(norm, device):
    layer, x, memory = make(norm=norm).to(device), draw().to(device), draw_memory().to(device)
    edited = x.clone()
    edited[:, 3:] += 1
    mask = causal_mask(TARGET, device=device)
    one, other = layer(x, memory, mask)[0], layer(edited, memory, mask)[0]
    assert torch.equal(one[:, :3], other[:, :3])
    assert not torch.allclose(one[:, 3:], other[:, 3:])


@in_both_places
@pytest.mark.parametrize("need_weights", [True, False])
def test_causal_is_said_in_one_word(norm, need_weights):
    layer, x, memory = make(norm=norm), draw(), draw_memory()
    asked = {"need_weights": need_weights}
    said, weights = layer(x, memory, None, PADDING, causal=True, **asked)
    masked, expected = layer(x, memory, causal_mask(TARGET), PADDING, **asked)
    torch.testing.assert_close(said, masked, rtol=0, atol=1e-12)
    assert (weights is None) is (expected is None) is not need_weights
    if need_weights:
        assert torch.equal(weights[0], expected[0])


@in_both_places
def test_what_the_memory_holds_at_padding_does_not_count(norm):
    layer, memory = make(norm=norm), draw_memory()
    edited = memory.clone()
    edited[0, 4:] += 1
    one, other = (layer(draw(), given, None, PADDING)[0] for given in (memory, edited))
    assert torch.equal(one, other)
    assert not torch.allclose(one, layer(draw(), edited)[0])


# ---- Step by step


@in_both_places
@pytest.mark.parametrize("new", [1, 2])
def test_steps_give_the_rows_of_the_whole(norm, new, device):
    layer, memory = make(norm=norm).to(device), draw_memory().to(device)
    padding, x = PADDING.to(device), draw(4).to(device)
    mask = causal_mask(4, device=device)
    expected, (own, cross) = layer(x, memory, mask, padding, need_weights=True)
    cache = layer.start(memory, max_length=4)
    for first in range(0, 4, new):
        rows = slice(first, first + new)
        got, weights = layer.step(x[:, rows], cache, padding, need_weights=True)
        torch.testing.assert_close(got, expected[:, rows], rtol=0, atol=1e-12)
        seen = own[:, :, rows, : first + new]
        torch.testing.assert_close(weights[0], seen, rtol=0, atol=1e-12)
        torch.testing.assert_close(weights[1], cross[:, :, rows], rtol=0, atol=1e-12)


def test_a_step_gives_weights_when_asked_for_alone():
    layer = make()
    cache = layer.start(draw_memory(), max_length=1)
    assert layer.step(draw(1), cache)[1] is None


def test_a_cache_that_is_full_is_refused():
    layer = make()
    cache = layer.start(draw_memory(), max_length=3)
    with pytest.raises(ValueError, match="cache: expected at most max_length=3 positions"):
        layer.step(draw(4), cache)


# ---- What is refused


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
        DecoderLayer(**{"d_model": D_MODEL, "num_heads": HEADS, "d_ff": D_FF, **options})


@in_both_places
def test_inputs_that_do_not_fit_are_refused(norm):
    layer, x, memory = make(norm=norm), draw(), draw_memory()
    with pytest.raises(ValueError, match=r"x: expected axes \[batch, target, d_model=6\]"):
        layer(x[..., :5], memory)
    message = r"memory: expected axes \[batch=2, source, d_model=6\], got shape \(2, 7, 5\)"
    with pytest.raises(ValueError, match=message):
        layer(x, memory[..., :5])
    with pytest.raises(ValueError, match=r"memory: expected axes \[batch=2, source, d_model=6\]"):
        layer(x, draw(SOURCE, batch=3))
    with pytest.raises(TypeError, match="mask: expected a boolean mask"):
        layer(x, memory, memory_mask=torch.ones(TARGET, SOURCE))
    with pytest.raises(ValueError, match=r"mask: .*\(2, 5, 7\), got \(1, 5, 5\)"):
        layer(x, memory, memory_mask=causal_mask(TARGET)[None])
