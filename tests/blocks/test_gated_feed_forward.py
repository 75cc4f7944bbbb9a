import math

import pytest
import torch
import torch.nn.functional as F

from bottomup.blocks import FeedForward, GatedFeedForward, gated_feed_forward

BATCH, N, D_MODEL, D_FF = 2, 5, 7, 11


def rows(*values: list[float]) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


X = rows([2, 3])[0]
W_GATE = rows([1, 0], [1, -1], [0, 1])  # gates 2, -1, 3
W_IN = rows([0, 1], [1, 1], [-1, 0])  # readings 3, 5, -2
W_OUT = rows([1, 0, 5], [2, 1, 5])


def call(**changes: object) -> torch.Tensor:
    """Call the function on the matrices above, but for the changes."""
    given = {"x": X, "W_gate": W_GATE, "W_in": W_IN, "W_out": W_OUT, **changes}
    return gated_feed_forward(**given)  # type: ignore[arg-type]


def make(**options) -> GatedFeedForward:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return GatedFeedForward(D_MODEL, D_FF, **options).double()


def randn(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


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
    assert call(activation=activation).tolist() == pytest.approx(expected, abs=1e-12)


def test_the_gate_of_the_paper_s_swiglu_is_the_default():
    assert torch.equal(call(), call(activation="silu"))
    assert torch.equal(make()(randn(N, D_MODEL)), make(activation="silu")(randn(N, D_MODEL)))


def test_biases_are_added_after_each_map():
    biases = {"b_gate": rows([-1, 1, 0])[0], "b_in": rows([1, 1, 2])[0], "b_out": rows([3, 4])[0]}
    # gates relu(1, 0, 3), readings 4, 6, 0: products 4, 0, 0
    assert call(activation="relu", **biases).tolist() == [7, 12]


@pytest.mark.parametrize("bias", [True, False])
def test_the_module_step_by_step(bias, device):
    network, x = make(bias=bias).to(device), randn(BATCH, N, D_MODEL).to(device)
    products = F.silu(network.W_gate(x)) * network.W_in(x)
    assert torch.equal(network.activations(x), products)
    assert torch.equal(network(x), network.W_out(products))


def test_dropout_falls_on_products_and_only_in_training():
    network, x = make(dropout=0.5), randn(BATCH, N, D_MODEL)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        got = network(x)
        torch.manual_seed(3)
        want = network.W_out(F.dropout(network.activations(x), 0.5))
    assert torch.equal(got, want)
    assert torch.equal(network.eval()(x), make()(x))


def test_two_thirds_of_the_neurons_make_it_as_large_as_one_without_a_gate():
    plain, gated = FeedForward(D_MODEL, 12, bias=False), GatedFeedForward(D_MODEL, 8)
    sizes = [sum(p.numel() for p in network.parameters()) for network in (plain, gated)]
    assert sizes == [2 * 7 * 12, 3 * 7 * 8] == [168, 168]


def test_it_passes_gradcheck():
    inputs = tuple(tensor.clone().requires_grad_() for tensor in (X, W_GATE, W_IN, W_OUT))
    assert torch.autograd.gradcheck(
        lambda x, W_gate, W_in, W_out: gated_feed_forward(x, W_gate=W_gate, W_in=W_in, W_out=W_out),
        inputs,
    )


@pytest.mark.parametrize(
    "changes, error, message",
    [
        (
            {"W_gate": W_GATE.T},
            ValueError,
            r"W_gate: expected axes \[d_ff, d_model=2\], got shape \(2, 3\)",
        ),
        (
            {"W_in": W_IN[:2]},
            ValueError,
            r"W_in: expected axes \[d_ff=3, d_model=2\], got shape \(2, 2\)",
        ),
        ({"W_out": W_OUT.T}, ValueError, r"W_out: expected axes \[d_model=2, d_ff=3\]"),
        ({"b_gate": X}, ValueError, r"b_gate: expected axes \[d_ff=3\], got shape \(2,\)"),
        ({"W_in": W_IN.float()}, TypeError, "W_in: expected the dtype torch.float64 of x"),
        (
            {"activation": "tanh"},
            ValueError,
            "activation: expected one of 'silu', 'gelu', 'relu', 'sigmoid', got 'tanh'",
        ),
        ({"dropout": 2}, ValueError, "dropout: expected a number >= 0 and < 1, got 2"),
    ],
)
def test_a_bad_argument_is_named(changes, error, message):
    with pytest.raises(error, match=message):
        call(**changes)


def test_the_module_refuses_bad_choices_and_other_widths():
    with pytest.raises(ValueError, match="d_ff: expected an integer of at least 1, got 0"):
        GatedFeedForward(3, 0)
    with pytest.raises(ValueError, match="activation: expected one of 'silu'"):
        GatedFeedForward(3, 5, activation="tanh")
    for method in (make(), make().activations):
        with pytest.raises(ValueError, match=r"x: expected axes \[..., d_model=7\]"):
            method(randn(5, 3))
