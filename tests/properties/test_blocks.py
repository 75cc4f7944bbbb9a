"""What holds for blocks of any size: the moments LayerNorm leaves, and who sees whom."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from bottomup.blocks import (
    AttentionLayer,
    EncoderLayer,
    FeedForward,
    GatedFeedForward,
    layer_norm,
)
from tests.drawn import global_seed, randn, seeded
from tests.properties.strategies import seeds, sizes

widths = st.integers(min_value=2, max_value=11)
spreads = st.sampled_from([1e-3, 1.0, 300.0])
epsilons = st.sampled_from([1e-8, 1e-5, 0.5])
norms = st.sampled_from(["pre", "post"])

each = settings(max_examples=60)


def plain_norm(x: Tensor, epsilon: float = 1e-5) -> Tensor:
    ones = torch.ones(x.shape[-1], dtype=x.dtype)
    return layer_norm(x, ones, torch.zeros_like(ones), epsilon=epsilon)


def drawn(seed: int, make) -> torch.nn.Module:
    with global_seed(seed):
        return make().double()


def same(one: Tensor, other: Tensor) -> None:
    torch.testing.assert_close(one, other, rtol=0, atol=1e-11)


# ---- LayerNorm


@each
@given(n=sizes, width=widths, spread=spreads, epsilon=epsilons, seed=seeds)
def test_the_mean_is_zero_and_the_variance_one_but_for_epsilon(n, width, spread, epsilon, seed):
    x = spread * randn(n, width, seed=seed)
    y = plain_norm(x, epsilon)
    same(y.mean(-1), torch.zeros(n, dtype=torch.float64))
    before = x.var(-1, correction=0)
    same(y.var(-1, correction=0), before / (before + epsilon))


@each
@given(n=sizes, width=widths, shift=st.floats(min_value=-100, max_value=100), seed=seeds)
def test_a_shift_of_all_components_changes_nothing(n, width, shift, seed):
    x = randn(n, width, seed=seed)
    # where the components lie close together the root magnifies the rounding of the sum
    torch.testing.assert_close(plain_norm(x + shift), plain_norm(x), rtol=0, atol=1e-8)


@each
@given(
    n=sizes, width=widths, scale=st.floats(min_value=1e-3, max_value=1e3), epsilon=epsilons,
    seed=seeds,
)  # fmt: skip
def test_a_positive_scale_changes_nothing_if_epsilon_has_its_square(n, width, scale, epsilon, seed):
    x = randn(n, width, seed=seed)
    same(plain_norm(scale * x, scale**2 * epsilon), plain_norm(x, epsilon))


@each
@given(
    n=sizes, width=widths, scale=st.floats(min_value=1, max_value=1e3), epsilon=epsilons, seed=seeds
)  # fmt: skip
def test_with_the_same_epsilon_a_positive_scale_changes_as_much_as_epsilon_allows(
    n, width, scale, epsilon, seed
):
    x = randn(n, width, seed=seed)
    variance = x.var(-1, correction=0, keepdim=True)
    ratio = ((variance + epsilon) / (variance + epsilon / scale**2)).sqrt()
    same(plain_norm(scale * x, epsilon), ratio * plain_norm(x, epsilon))
    assert (ratio >= 1).all()
    assert (ratio <= (1 + epsilon / variance).sqrt()).all()


@each
@given(n=sizes, width=widths, seed=seeds)
def test_a_negative_scale_turns_the_sign(n, width, seed):
    x = randn(n, width, seed=seed)
    same(plain_norm(-x), -plain_norm(x))


@each
@given(n=sizes, width=widths, epsilon=epsilons, seed=seeds)
def test_gain_and_bias_are_applied_last(n, width, epsilon, seed):
    x, (gain, bias) = randn(n, width, seed=seed), randn(2, width, seed=seed + 1)
    same(layer_norm(x, gain, bias, epsilon=epsilon), gain * plain_norm(x, epsilon) + bias)


# ---- The feed-forward networks


@each
@given(
    batch=sizes, n=sizes, d_model=sizes, d_ff=sizes, gated=st.booleans(), seed=seeds,
)  # fmt: skip
def test_permuting_positions_commutes_with_the_network(batch, n, d_model, d_ff, gated, seed):
    kind = GatedFeedForward if gated else FeedForward
    network, x = drawn(seed, lambda: kind(d_model, d_ff)), randn(batch, n, d_model, seed=seed)
    order = torch.randperm(n, generator=seeded(seed))
    same(network(x[:, order]), network(x)[:, order])
    for position in range(n):
        same(network(x[:, position]), network(x)[:, position])


@each
@given(
    n=sizes, d_model=sizes, d_ff=sizes, activation=st.sampled_from(["relu", "gelu"]), seed=seeds
)  # fmt: skip
def test_the_output_is_the_sum_of_the_neurons_alone(n, d_model, d_ff, activation, seed):
    x, W_in, W_out = (
        randn(n, d_model, seed=seed),
        randn(d_ff, d_model, seed=seed + 1),
        randn(d_model, d_ff, seed=seed + 2),
    )
    whole = network_of(W_in, W_out, activation)(x)
    alone = [network_of(W_in[k : k + 1], W_out[:, k : k + 1], activation)(x) for k in range(d_ff)]
    same(whole, torch.stack(alone).sum(0))


@each
@given(
    n=sizes, d_model=sizes, d_ff=sizes, factor=st.floats(min_value=0.01, max_value=100), seed=seeds
)  # fmt: skip
def test_a_relu_neuron_s_key_and_value_can_trade_a_factor(n, d_model, d_ff, factor, seed):
    x, W_in, W_out = (
        randn(n, d_model, seed=seed),
        randn(d_ff, d_model, seed=seed + 1),
        randn(d_model, d_ff, seed=seed + 2),
    )
    same(network_of(factor * W_in, W_out / factor)(x), network_of(W_in, W_out)(x))


def network_of(W_in: Tensor, W_out: Tensor, activation: str = "relu") -> FeedForward:
    network = FeedForward(*W_in.shape[::-1], activation=activation, bias=False).double()
    network.load_state_dict({"W_in.weight": W_in, "W_out.weight": W_out})
    return network


# ---- The layers


@each
@given(
    batch=sizes, n=sizes, heads=st.integers(1, 3), width=st.integers(1, 4), norm=norms,
    attention_only=st.booleans(), seed=seeds,
)  # fmt: skip
def test_without_a_mask_permuting_positions_commutes_with_the_layer(
    batch, n, heads, width, norm, attention_only, seed
):
    layer = drawn(seed, lambda: layer_of(heads, width, norm, attention_only))
    x = randn(batch, n, heads * width, seed=seed)
    order = torch.randperm(n, generator=seeded(seed))
    near(layer(x[:, order])[0], layer(x)[0][:, order])


@each
@given(
    batch=sizes, n=sizes, heads=st.integers(1, 3), width=st.integers(1, 4), norm=norms, seed=seeds,
)  # fmt: skip
def test_positions_that_read_only_themselves_stand_alone(batch, n, heads, width, norm, seed):
    layer = drawn(seed, lambda: layer_of(heads, width, norm, False))
    x = randn(batch, n, heads * width, seed=seed)
    together = layer(x, torch.eye(n, dtype=torch.bool))[0]
    alone = layer(x.flatten(0, 1)[:, None])[0]
    near(together, alone.reshape(x.shape))


def layer_of(heads: int, width: int, norm: str, attention_only: bool) -> torch.nn.Module:
    d_model = heads * width
    if attention_only:
        return AttentionLayer(d_model, heads, norm=norm)
    return EncoderLayer(d_model, heads, 2 * d_model + 1, norm=norm)


def near(one: Tensor, other: Tensor) -> None:
    """Nearly equal components of one vector let LayerNorm magnify a rounding 300-fold."""
    torch.testing.assert_close(one, other, rtol=0, atol=1e-8)
