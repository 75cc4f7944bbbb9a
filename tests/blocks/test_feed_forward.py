import math
import re

import pytest
import torch
import torch.nn.functional as F
from torch.func import functional_call

from bottomup.blocks import FeedForward, GatedFeedForward
from tests.drawn import global_seed, randn

BATCH, N, D_MODEL, D_FF = 2, 5, 7, 11
with_a_gate_or_without = pytest.mark.parametrize("kind", [FeedForward, GatedFeedForward])


def rows(*values: list[float]) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


W_IN, B_IN = rows([1, 0], [0, 1], [1, -1]), rows([0, -1, 0])[0]
W_OUT, B_OUT = rows([1, 0, 5], [2, 1, 5]), rows([10, 20])[0]
X = rows([2, 3])[0]  # before the activation: 2, 3 - 1 = 2, 2 - 3 = -1


def by_hand(*, bias: bool = True, **options) -> FeedForward:
    """The network of the matrices above."""
    network = FeedForward(2, 3, bias=bias, **options).double()
    state = {"W_in.weight": W_IN, "W_out.weight": W_OUT}
    state |= {"W_in.bias": B_IN, "W_out.bias": B_OUT} if bias else {}
    network.load_state_dict(state)
    return network


def make(kind: type = FeedForward, **options) -> FeedForward | GatedFeedForward:
    with global_seed(0):
        return kind(D_MODEL, D_FF, **options).double()


def test_relu_by_hand():
    # activations 2, 2, 0; output 2 (1, 2) + 2 (0, 1) + 0 (5, 5) + (10, 20)
    assert by_hand()(X).tolist() == [12, 26]


def test_gelu_by_hand_is_exact():
    def gelu(z: float) -> float:
        return z * (1 + math.erf(z / math.sqrt(2))) / 2

    a, b, c = gelu(2), gelu(2), gelu(-1)
    expected = [a + 5 * c + 10, 2 * a + b + 5 * c + 20]
    found = by_hand(activation="gelu")(X).tolist()
    assert found == pytest.approx(expected, abs=1e-12)


def test_biases_may_be_left_out():
    # activations 2, 3, 0
    assert by_hand(bias=False)(X).tolist() == [2, 7]


def test_the_output_is_a_sum_of_value_vectors_weighted_by_activations():
    network, x = make(), randn(BATCH, N, D_MODEL)
    active = network.activations(x)
    assert active.shape == (BATCH, N, D_FF)
    summed = network.W_out.bias.expand(BATCH, N, D_MODEL)
    for neuron in range(D_FF):
        summed = summed + active[..., neuron, None] * network.W_out.weight[:, neuron]
    torch.testing.assert_close(network(x), summed, rtol=0, atol=1e-13)


def test_activations_are_those_of_relu_and_of_gelu():
    x = randn(BATCH, N, D_MODEL)
    assert torch.equal(make().activations(x), make().W_in(x).clamp(min=0))
    assert torch.equal(make(activation="gelu").activations(x), F.gelu(make().W_in(x)))


@with_a_gate_or_without
def test_dropout_falls_on_activations_and_only_in_training(kind):
    network, x = make(kind, dropout=0.5), randn(BATCH, N, D_MODEL)
    with global_seed(3):
        got = network(x)
        torch.manual_seed(3)
        want = network.W_out(F.dropout(network.activations(x), 0.5))
    assert torch.equal(got, want)
    assert torch.equal(network.eval()(x), make(kind)(x))
    assert not torch.allclose(got, network(x))


@pytest.mark.parametrize("bias, expected", [(True, 2 * 7 * 11 + 11 + 7), (False, 2 * 7 * 11)])
def test_the_number_of_parameters(bias, expected):
    assert sum(p.numel() for p in make(bias=bias).parameters()) == expected
    assert make(bias=bias)(randn(D_MODEL)).shape == (D_MODEL,)


@with_a_gate_or_without
def test_a_feed_forward_network_passes_gradcheck(kind):
    network = make(kind, activation="gelu")
    names, maps = zip(*network.named_parameters(), strict=True)
    assert torch.autograd.gradcheck(
        lambda x, *maps: functional_call(network, dict(zip(names, maps, strict=True)), x),
        (randn(D_MODEL).requires_grad_(), *maps),
    )


@pytest.mark.parametrize(
    "arguments, options, message",
    [
        ((0, 3), {}, "d_model: expected an integer of at least 1, got 0"),
        ((3, 0), {}, "d_ff: expected an integer of at least 1, got 0"),
        ((3, 5), {"activation": "silu"}, "activation: expected one of 'relu', 'gelu'"),
        ((3, 5), {"dropout": -0.1}, "dropout: expected a number >= 0 and < 1, got -0.1"),
        ((3, 5), {"dropout": 1}, "dropout: expected a number >= 0 and < 1, got 1"),
    ],
)
def test_the_module_refuses_bad_choices(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        FeedForward(*arguments, **options)


@with_a_gate_or_without
def test_the_module_refuses_what_does_not_fit(kind):
    network = make(kind)
    first, _map = next(network.named_parameters())
    for method in (network, network.activations):
        for shape in (5, 3), ():
            message = f"x: expected axes [..., d_model=7], got shape {shape}"
            with pytest.raises(ValueError, match=re.escape(message)):
                method(randn(*shape))
        with pytest.raises(TypeError, match="x: expected a floating-point tensor, got dtype"):
            method(randn(5, 7).int())
        with pytest.raises(TypeError, match=f"x: expected the dtype torch.float64 of {first}"):
            method(randn(5, 7).float())
