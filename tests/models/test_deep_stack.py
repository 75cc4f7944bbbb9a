"""Deep stacks: each kind of layer by hand, and how they start."""

import math

import pytest
import torch
from torch import Tensor

from bottomup.models import DeepStack

WIDTH, DEPTH, ROWS = 5, 3, 7


def seeded(kind: str, width: int = WIDTH, depth: int = DEPTH, **options) -> DeepStack:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return DeepStack(width, depth, kind=kind, **options)


def by_hand(kind: str, *, gate_bias: float = 0.0) -> DeepStack:
    """Two numbers, two layers, ReLU: the first swaps the numbers, the second doubles and adds."""
    stack = seeded(kind, 2, 2, activation="relu", gate_bias=gate_bias)
    with torch.no_grad():
        stack.maps[0].weight.copy_(torch.tensor([[0.0, 1.0], [1.0, 0.0]]))
        stack.maps[0].bias.zero_()
        stack.maps[1].weight.copy_(2 * torch.eye(2))
        stack.maps[1].bias.copy_(torch.tensor([1.0, -1.0]))
        for gate in stack.gates:
            gate.weight.zero_()
    return stack


X = torch.tensor([[1.0, -3.0]])


def test_a_plain_stack_by_hand():
    # (1, -3) -> ReLU(-3, 1) = (0, 1) -> ReLU(1, 2 - 1) = (1, 1)
    assert by_hand("plain")(X).tolist() == [[1.0, 1.0]]


def test_a_residual_stack_by_hand():
    # (1, -3) + (0, 1) = (1, -2) -> (1, -2) + ReLU(3, -5) = (4, -2)
    assert by_hand("residual")(X).tolist() == [[4.0, -2.0]]


def test_a_highway_stack_with_half_open_gates_by_hand():
    # 1/2 (0, 1) + 1/2 (1, -3) = (.5, -1) -> 1/2 ReLU(2, -3) + 1/2 (.5, -1) = (1.25, -.5)
    assert by_hand("highway")(X).tolist() == [[1.25, -0.5]]


def test_a_gate_depends_on_what_the_layer_reads():
    stack = by_hand("highway")
    with torch.no_grad():
        stack.gates[0].weight.copy_(torch.tensor([[math.log(3.0), 0.0], [0.0, 0.0]]))
        stack.maps[1].weight.zero_()
        stack.maps[1].bias.zero_()
    # the first gate is sigmoid(log 3) = 3/4 for the first number: 3/4 * 0 + 1/4 * 1
    torch.testing.assert_close(stack(X), torch.tensor([[0.125, -0.5]]))


def test_open_gates_give_the_plain_stack_and_closed_gates_the_input():
    assert torch.equal(by_hand("highway", gate_bias=200.0)(X), by_hand("plain")(X))
    assert torch.equal(by_hand("highway", gate_bias=-200.0)(X), X)


def test_the_gates_bias_is_negative_at_the_start_and_its_weights_are_torchs():
    stack = seeded("highway", width=31)
    assert len(stack.gates) == len(stack.maps) == DEPTH
    for linear in stack.gates:
        assert linear.bias.tolist() == [-2.0] * 31
        assert 0.9 < linear.weight.abs().max().item() * math.sqrt(31) <= 1
    assert seeded("highway", gate_bias=-3).gates[1].bias.tolist() == [-3.0] * WIDTH


def test_the_default_start_is_that_of_a_linear_map():
    for linear in seeded("plain", width=31).maps:
        for values in (linear.weight, linear.bias):
            assert 0.8 < values.abs().max().item() * math.sqrt(31) <= 1


def test_orthogonal_weights_keep_lengths():
    stack = seeded("plain", initialisation="orthogonal")
    for linear in stack.maps:
        torch.testing.assert_close(linear.weight.T @ linear.weight, torch.eye(WIDTH))
        assert not linear.bias.any()


@pytest.mark.parametrize("kind", ["plain", "residual"])
def test_only_highway_layers_have_gates(kind: str):
    stack = seeded(kind)
    assert len(stack.gates) == 0
    assert sum(p.numel() for p in stack.parameters()) == DEPTH * (WIDTH * WIDTH + WIDTH)


def test_residual_layers_hand_the_gradient_down_where_plain_ones_lose_it():
    found = {}
    for kind in ("plain", "residual", "highway"):
        x = torch.zeros(WIDTH, requires_grad=True)
        seeded(kind, depth=61)(x).sum().backward()
        assert isinstance(x.grad, Tensor)
        found[kind] = x.grad.norm().item()
    assert found["plain"] < 1e-9
    assert min(found["residual"], found["highway"]) > 1e-3


@pytest.mark.parametrize("kind", ["plain", "residual", "highway"])
def test_leading_axes_are_kept(kind: str):
    x = torch.rand(2, ROWS, WIDTH, generator=torch.Generator().manual_seed(1))
    stack = seeded(kind)
    assert stack(x).shape == (2, ROWS, WIDTH)
    torch.testing.assert_close(stack(x)[1, 3], stack(x[1, 3]))


@pytest.mark.parametrize("name", ["width", "depth"])
def test_sizes_below_one_are_refused(name: str):
    sizes = {"width": WIDTH, "depth": DEPTH} | {name: 0}
    with pytest.raises(ValueError, match=name):
        DeepStack(sizes["width"], sizes["depth"], kind="plain")


@pytest.mark.parametrize(
    "options", [{"kind": "gated"}, {"activation": "gelu"}, {"initialisation": "he"}]
)
def test_unknown_names_are_refused(options: dict[str, str]):
    (name,) = options
    with pytest.raises(ValueError, match=f"{name}: expected"):
        DeepStack(WIDTH, DEPTH, **{"kind": "plain", **options})


def test_bad_numbers_are_refused():
    for bias in (float("nan"), float("-inf")):
        with pytest.raises(ValueError, match="gate_bias"):
            DeepStack(WIDTH, DEPTH, kind="highway", gate_bias=bias)
    with pytest.raises(TypeError, match="gate_bias"):
        DeepStack(WIDTH, DEPTH, kind="highway", gate_bias="-2")
    with pytest.raises(ValueError, match=r"x: expected axes"):
        seeded("plain")(torch.zeros(ROWS, WIDTH + 1))
    with pytest.raises(TypeError, match="x: expected a floating-point tensor"):
        seeded("plain")(torch.zeros(ROWS, WIDTH, dtype=torch.int64))
    with pytest.raises(TypeError, match="x: expected the dtype .* of maps.0.weight, got"):
        seeded("plain")(torch.zeros(ROWS, WIDTH, dtype=torch.float16))
