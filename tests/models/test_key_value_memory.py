import pytest
import torch

from bottomup.blocks import FeedForward, LayerNorm
from bottomup.models import contributions, top_triggers, value_logits
from tests.drawn import global_seed, seeded

D_MODEL, D_FF, VOCABULARY = 5, 11, 7


def memory(d_model: int = D_MODEL, d_ff: int = D_FF, **options) -> FeedForward:
    with global_seed(0):
        return FeedForward(d_model, d_ff, **options).double()


def numbers(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=seeded(1), dtype=torch.float64)


def two_neurons() -> FeedForward:
    """Neuron 0 answers to (1, 0) and writes (3, 1), neuron 1 to (0, 2) and writes (-1, 2)."""
    network = memory(2, 2)
    with torch.no_grad():
        network.W_in.weight.copy_(torch.tensor([[1.0, 0.0], [0.0, 2.0]]))
        network.W_in.bias.copy_(torch.tensor([0.0, -1.0]))
        network.W_out.weight.copy_(torch.tensor([[3.0, -1.0], [1.0, 2.0]]))
        network.W_out.bias.copy_(torch.tensor([0.5, 0.0]))
    return network


def close(found: torch.Tensor, wanted: list) -> None:
    torch.testing.assert_close(found, torch.tensor(wanted, dtype=torch.float64))


@torch.no_grad()
def test_contributions_by_hand():
    # x = (2, 1): activations 2 and 2 * 1 - 1 = 1
    network, x = two_neurons(), torch.tensor([2.0, 1.0], dtype=torch.float64)
    close(contributions(network, x), [[6.0, 2.0], [-1.0, 2.0]])
    close(network(x), [6.0 - 1.0 + 0.5, 4.0])


@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("bias", [True, False])
@torch.no_grad()
def test_the_output_is_the_sum_of_the_contributions(activation, bias):
    network, x = memory(activation=activation, bias=bias), numbers(2, 3, D_MODEL)
    each = contributions(network, x)
    assert each.shape == (2, 3, D_FF, D_MODEL)
    total = each.sum(dim=-2) + (network.W_out.bias if bias else 0)
    torch.testing.assert_close(total, network(x), rtol=0, atol=1e-14)


@torch.no_grad()
def test_top_triggers_by_hand():
    inputs = torch.tensor([[1.0, 0.0], [3.0, 1.0], [-2.0, 2.0], [3.0, -1.0]], dtype=torch.float64)
    # activations of neuron 0: 1, 3, 0, 3; of neuron 1: 0, 1, 3, 0
    found = top_triggers(two_neurons(), inputs, count=3)
    close(found.activation, [[3.0, 3.0, 1.0], [3.0, 1.0, 0.0]])
    assert found.place.tolist() == [[1, 3, 0], [2, 1, 0]]  # of equals the earlier


def test_value_logits_by_hand():
    U = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, -1.0]], dtype=torch.float64)
    close(value_logits(two_neurons(), U), [[3.0, 1.0, 2.0], [-1.0, 2.0, -3.0]])


def test_value_logits_behind_layer_norm_by_hand():
    # (3, 1) loses its mean 2 and (-1, 2) its mean .5; gain (2, 4)
    U, norm = torch.eye(2, dtype=torch.float64), LayerNorm(2).double()
    with torch.no_grad():
        norm.gain.copy_(torch.tensor([2.0, 4.0]))
    close(value_logits(two_neurons(), U, norm=norm), [[2.0, -4.0], [-3.0, 6.0]])


def test_bad_input_is_refused():
    network = memory()
    with pytest.raises(ValueError, match="count: expected at most the 3 inputs, got 4"):
        top_triggers(network, numbers(3, D_MODEL), count=4)
    with pytest.raises(ValueError, match=r"U: expected axes \[vocabulary, d_model=5\]"):
        value_logits(network, numbers(VOCABULARY, 6))
