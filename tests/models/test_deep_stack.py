"""Deep stacks: each kind of layer by hand, and how they start."""

import math

import pytest
import torch

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


@pytest.mark.parametrize(
    "kind, expected",
    [
        # (1, -3) -> ReLU(-3, 1) = (0, 1) -> ReLU(1, 2 - 1) = (1, 1)
        ("plain", [1.0, 1.0]),
        # (1, -3) + (0, 1) = (1, -2) -> (1, -2) + ReLU(3, -5) = (4, -2)
        ("residual", [4.0, -2.0]),
        # 1/2 (0, 1) + 1/2 (1, -3) = (.5, -1) -> 1/2 ReLU(2, -3) + 1/2 (.5, -1) = (1.25, -.5)
        ("highway", [1.25, -0.5]),
    ],
)
def test_a_stack_by_hand(kind, expected):
    assert by_hand(kind)(X).tolist() == [expected]


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


def test_orthogonal_weights_keep_lengths():
    stack = seeded("plain", initialisation="orthogonal")
    for linear in stack.maps:
        torch.testing.assert_close(linear.weight.T @ linear.weight, torch.eye(WIDTH))
        assert not linear.bias.any()


def test_bad_numbers_are_refused():
    with pytest.raises(ValueError, match=r"x: expected axes"):
        seeded("plain")(torch.zeros(ROWS, WIDTH + 1))
