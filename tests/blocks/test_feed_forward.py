import math

import pytest
import torch
import torch.nn.functional as F

from bottomup.blocks import FeedForward, feed_forward

BATCH, N, D_MODEL, D_FF = 2, 5, 7, 11


def rows(*values: list[float]) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


W_IN, B_IN = rows([1, 0], [0, 1], [1, -1]), rows([0, -1, 0])[0]
W_OUT, B_OUT = rows([1, 0, 5], [2, 1, 5]), rows([10, 20])[0]
X = rows([2, 3])[0]  # before the activation: 2, 3 - 1 = 2, 2 - 3 = -1


def call(**changes: object) -> torch.Tensor:
    """Call the function on the matrices above, but for the changes."""
    given = {"x": X, "W_in": W_IN, "b_in": B_IN, "W_out": W_OUT, "b_out": B_OUT, **changes}
    return feed_forward(**given)  # type: ignore[arg-type]


def make(**options) -> FeedForward:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return FeedForward(D_MODEL, D_FF, **options).double()


def randn(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def test_relu_by_hand():
    # activations 2, 2, 0; output 2 (1, 2) + 2 (0, 1) + 0 (5, 5) + (10, 20)
    assert call().tolist() == [12, 26]


def test_gelu_by_hand_is_exact():
    def gelu(z: float) -> float:
        return z * (1 + math.erf(z / math.sqrt(2))) / 2

    a, b, c = gelu(2), gelu(2), gelu(-1)
    expected = [a + 5 * c + 10, 2 * a + b + 5 * c + 20]
    assert call(activation="gelu").tolist() == pytest.approx(expected, abs=1e-12)


def test_biases_may_be_left_out():
    # activations 2, 3, 0
    assert call(b_in=None, b_out=None).tolist() == [2, 7]


def test_the_output_is_a_sum_of_value_vectors_weighted_by_activations():
    network, x = make(), randn(BATCH, N, D_MODEL)
    active = network.activations(x)
    assert active.shape == (BATCH, N, D_FF)
    summed = network.W_out.bias.expand(BATCH, N, D_MODEL)
    for neuron in range(D_FF):
        summed = summed + active[..., neuron, None] * network.W_out.weight[:, neuron]
    torch.testing.assert_close(network(x), summed, rtol=0, atol=1e-13)


@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_the_module_calls_the_function_with_its_maps(activation, device):
    network, x = make(activation=activation).to(device), randn(BATCH, N, D_MODEL).to(device)
    maps = {
        "W_in": network.W_in.weight,
        "b_in": network.W_in.bias,
        "W_out": network.W_out.weight,
        "b_out": network.W_out.bias,
    }
    output = network(x)
    assert output.device.type == device.type
    assert torch.equal(output, feed_forward(x, **maps, activation=activation))


def test_activations_are_those_of_relu_and_of_gelu():
    x = randn(BATCH, N, D_MODEL)
    assert torch.equal(make().activations(x), make().W_in(x).clamp(min=0))
    assert torch.equal(make(activation="gelu").activations(x), F.gelu(make().W_in(x)))


def test_dropout_falls_on_activations_and_only_in_training():
    network, x = make(dropout=0.5), randn(BATCH, N, D_MODEL)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        got = network(x)
        torch.manual_seed(3)
        want = network.W_out(F.dropout(network.activations(x), 0.5))
    assert torch.equal(got, want)
    assert torch.equal(network.eval()(x), make()(x))
    assert not torch.allclose(got, network(x))


@pytest.mark.parametrize("bias, expected", [(True, 2 * 7 * 11 + 11 + 7), (False, 2 * 7 * 11)])
def test_the_number_of_parameters(bias, expected):
    assert sum(p.numel() for p in make(bias=bias).parameters()) == expected
    assert make(bias=bias)(randn(D_MODEL)).shape == (D_MODEL,)


def test_feed_forward_passes_gradcheck():
    inputs = tuple(tensor.clone().requires_grad_() for tensor in (X, W_IN, B_IN, W_OUT, B_OUT))
    assert torch.autograd.gradcheck(
        lambda x, W_in, b_in, W_out, b_out: feed_forward(
            x, W_in=W_in, b_in=b_in, W_out=W_out, b_out=b_out, activation="gelu"
        ),
        inputs,
    )


@pytest.mark.parametrize(
    "changes, error, message",
    [
        ({"x": X[0]}, ValueError, r"x: expected axes \[..., d_model\], got shape \(\)"),
        ({"x": X.int()}, TypeError, "x: expected a floating-point tensor, got dtype torch.int32"),
        (
            {"W_in": W_IN.T},
            ValueError,
            r"W_in: expected axes \[d_ff, d_model=2\], got shape \(2, 3\)",
        ),
        ({"W_in": W_IN.float()}, TypeError, "W_in: expected the dtype torch.float64 of x"),
        ({"b_in": B_OUT}, ValueError, r"b_in: expected axes \[d_ff=3\], got shape \(2,\)"),
        (
            {"W_out": W_OUT.T},
            ValueError,
            r"W_out: expected axes \[d_model=2, d_ff=3\], got shape \(3, 2\)",
        ),
        ({"b_out": B_IN}, ValueError, r"b_out: expected axes \[d_model=2\], got shape \(3,\)"),
        ({"b_out": B_OUT.float()}, TypeError, "b_out: expected the dtype torch.float64 of x"),
        (
            {"activation": "tanh"},
            ValueError,
            "activation: expected one of 'relu', 'gelu', got 'tanh'",
        ),
        ({"dropout": 1}, ValueError, "dropout: expected a number >= 0 and < 1, got 1"),
    ],
)
def test_a_bad_argument_is_named(changes, error, message):
    with pytest.raises(error, match=message):
        call(**changes)


@pytest.mark.parametrize(
    "arguments, options, message",
    [
        ((0, 3), {}, "d_model: expected an integer of at least 1, got 0"),
        ((3, 0), {}, "d_ff: expected an integer of at least 1, got 0"),
        ((3, 5), {"activation": "silu"}, "activation: expected one of 'relu', 'gelu'"),
        ((3, 5), {"dropout": -0.1}, "dropout: expected a number >= 0 and < 1, got -0.1"),
    ],
)
def test_the_module_refuses_bad_choices(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        FeedForward(*arguments, **options)


def test_the_module_refuses_another_width():
    message = r"x: expected axes \[..., d_model=7\], got shape \(5, 3\)"
    for method in (make(), make().activations):
        with pytest.raises(ValueError, match=message):
            method(randn(5, 3))
