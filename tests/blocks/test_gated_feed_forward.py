import math

import pytest
import torch
import torch.nn.functional as F

from bottomup.blocks import FeedForward, GatedFeedForward
from tests.drawn import global_seed, randn

BATCH, N, D_MODEL, D_FF = 2, 5, 7, 11


def rows(*values: list[float]) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


X = rows([2, 3])[0]
W_GATE = rows([1, 0], [1, -1], [0, 1])  # gates 2, -1, 3
W_IN = rows([0, 1], [1, 1], [-1, 0])  # readings 3, 5, -2
W_OUT = rows([1, 0, 5], [2, 1, 5])


def by_hand(biases: dict[str, torch.Tensor] | None = None, **options) -> GatedFeedForward:
    """The network of the matrices above."""
    network = GatedFeedForward(2, 3, bias=biases is not None, **options).double()
    maps = {"W_gate.weight": W_GATE, "W_in.weight": W_IN, "W_out.weight": W_OUT}
    network.load_state_dict(maps | (biases or {}))
    return network


def make(**options) -> GatedFeedForward:
    with global_seed(0):
        return GatedFeedForward(D_MODEL, D_FF, **options).double()


def sigmoid(z: float) -> float:
    return 1 / (1 + math.exp(-z))


@pytest.mark.parametrize(
    "activation, gate",
    [
        ("relu", lambda z: max(z, 0)),
        ("silu", lambda z: z * sigmoid(z)),
        ("sigmoid", sigmoid),
        ("gelu", lambda z: z * (1 + math.erf(z / math.sqrt(2))) / 2),
    ],
)
def test_each_gate_by_hand(activation, gate):
    a, b, c = gate(2) * 3, gate(-1) * 5, gate(3) * -2
    expected = [a + 5 * c, 2 * a + b + 5 * c]
    found = by_hand(activation=activation)(X).tolist()
    assert found == pytest.approx(expected, abs=1e-12)


def test_the_gate_of_the_paper_s_swiglu_is_the_default():
    assert torch.equal(make()(randn(N, D_MODEL)), make(activation="silu")(randn(N, D_MODEL)))


def test_biases_are_added_after_each_map():
    gate, reading, out = rows([-1, 1, 0])[0], rows([1, 1, 2])[0], rows([3, 4])[0]
    biases = {"W_gate.bias": gate, "W_in.bias": reading, "W_out.bias": out}
    # gates relu(1, 0, 3), readings 4, 6, 0: products 4, 0, 0
    assert by_hand(biases, activation="relu")(X).tolist() == [7, 12]


@pytest.mark.parametrize("bias", [True, False])
def test_the_module_step_by_step(bias, device):
    network, x = make(bias=bias).to(device), randn(BATCH, N, D_MODEL).to(device)
    products = F.silu(network.W_gate(x)) * network.W_in(x)
    assert torch.equal(network.activations(x), products)
    assert torch.equal(network(x), network.W_out(products))


def test_two_thirds_of_the_neurons_make_it_as_large_as_one_without_a_gate():
    plain, gated = FeedForward(D_MODEL, 12, bias=False), GatedFeedForward(D_MODEL, 8)
    sizes = [sum(p.numel() for p in network.parameters()) for network in (plain, gated)]
    assert sizes == [2 * 7 * 12, 3 * 7 * 8] == [168, 168]


def test_the_module_refuses_bad_choices():
    with pytest.raises(ValueError, match="d_ff: expected an integer of at least 1, got 0"):
        GatedFeedForward(3, 0)
    message = (
        "activation: expected one of 'silu', 'relu', 'gelu', 'gelu_tanh', 'sigmoid', got 'tanh'"
    )
    with pytest.raises(ValueError, match=message):
        GatedFeedForward(3, 5, activation="tanh")
    with pytest.raises(ValueError, match="dropout: expected a number >= 0 and < 1, got 2"):
        GatedFeedForward(3, 5, dropout=2)
