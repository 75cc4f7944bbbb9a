"""A head's two maps against the forward pass, and the scores of heads by hand."""

import pytest
import torch

from bottomup.analysis import (
    composition,
    copying_score,
    output_value,
    prefix_matching_score,
    previous_token_score,
    query_key,
    with_ones,
)
from bottomup.attention import MultiHeadAttention
from tests.drawn import global_seed, learned, randn

BATCH, D_MODEL, HEADS, D_HEAD, D_VALUE, QUERY, KEY = 2, 11, 3, 5, 7, 13, 17


def attention(*, bias: bool = True) -> MultiHeadAttention:
    with global_seed(0):
        made = MultiHeadAttention(D_MODEL, HEADS, d_head=D_HEAD, d_value=D_VALUE, bias=bias)
        return learned(made).double()


def vectors() -> tuple[torch.Tensor, torch.Tensor]:
    return randn(BATCH, QUERY, D_MODEL, seed=1), randn(BATCH, KEY, D_MODEL, seed=2)


# ---- The two maps


def test_ones_by_hand():
    assert with_ones(torch.tensor([[2.0, 3.0]])).tolist() == [[2.0, 3.0, 1.0]]


@pytest.mark.parametrize("bias", [True, False])
def test_the_first_map_gives_the_weights_of_the_forward_pass(bias):
    module, (x, y) = attention(bias=bias), vectors()
    _, weights = module(x, y, y)
    for head in range(HEADS):
        scores = with_ones(x) @ query_key(module, head) @ with_ones(y).mT
        assert torch.allclose(scores.softmax(dim=-1), weights[:, head], atol=1e-12, rtol=0)


@pytest.mark.parametrize("bias", [True, False])
def test_the_second_map_gives_the_output_of_the_forward_pass(bias):
    module, (x, y) = attention(bias=bias), vectors()
    output, weights = module(x, y, y)
    heads = (weights[:, h] @ with_ones(y) @ output_value(module, h) for h in range(HEADS))
    total = sum(heads) + (module.W_O.bias if bias else 0)
    assert torch.allclose(total, output, atol=1e-12, rtol=0)


def test_maps_by_hand():
    module = MultiHeadAttention(1, 2, d_head=1)
    numbers = {"W_Q": (2, 3), "W_K": (5, 7), "W_V": (11, 13)}
    with torch.no_grad():
        for name, weights in numbers.items():
            linear = getattr(module, name)
            linear.weight.copy_(torch.tensor([[w] for w in weights]))
            linear.bias.copy_(torch.tensor([w + 0.5 for w in weights]))
        module.W_O.weight.copy_(torch.tensor([[17.0, 19.0]]))
    assert query_key(module, 1).tolist() == [[21.0, 22.5], [24.5, 26.25]]
    assert output_value(module, 0).tolist() == [[187.0], [195.5]]
    assert output_value(module, 1).tolist() == [[247.0], [256.5]]


@pytest.mark.parametrize("function", [query_key, output_value])
def test_heads_that_are_not_there_are_refused(function):
    with pytest.raises(ValueError, match="head: expected a number below num_heads=3, got 3"):
        function(attention(), 3)
    message = "attention: expected a MultiHeadAttention, or one laid out as in .*, got Linear"
    with pytest.raises(TypeError, match=message):
        function(torch.nn.Linear(2, 3), 0)


# ---- Composition


def test_composition_by_hand():
    first = torch.tensor([[3.0, 0.0], [0.0, 4.0]])
    assert composition(first, torch.tensor([[1.0], [0.0]])).item() == pytest.approx(3 / 5)
    assert composition(first, torch.tensor([[0.0], [2.0]])).item() == pytest.approx(4 / 5)
    along, across = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0], [1.0]])
    assert composition(along, across).item() == 0
    assert composition(along, along.T).item() == 1


def test_maps_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"second: expected axes \[inner=2, columns\]"):
        composition(torch.ones(3, 2), torch.ones(3, 2))


# ---- Scores of heads


def test_the_previous_token_score_by_hand():
    weights = torch.tensor([[1.0, 0, 0], [0.75, 0.25, 0], [0.5, 0.25, 0.25]])
    assert previous_token_score(weights).item() == pytest.approx((0.75 + 0.25) / 2)
    stacked = torch.stack([weights, torch.eye(3)])[:, None]
    assert previous_token_score(stacked).tolist() == [[0.5], [0.0]]


def test_the_prefix_matching_score_by_hand():
    tokens = torch.tensor([[4, 1, 4, 4], [0, 1, 2, 3]])
    weights = torch.zeros(2, 2, 4, 4)
    weights[0, 0, 2] = torch.tensor([0.25, 0.5, 0.25, 0])  # on what followed: 0.5
    weights[0, 0, 3] = torch.tensor([0.25, 0.125, 0.125, 0.5])  # on 1 and on 3 itself: 0.625
    weights[0, 1, :, 0] = 1
    weights[1, :, :, 1] = 1  # nothing comes twice: not counted
    assert prefix_matching_score(weights, tokens).tolist() == [0.5625, 0.0]


def test_weights_that_say_nothing_are_refused():
    with pytest.raises(ValueError, match="weights: expected at least 2 positions, got 1"):
        previous_token_score(torch.ones(1, 1))
    once = torch.tensor([[0, 1, 2]])
    with pytest.raises(ValueError, match="tokens: expected one that comes twice, got none"):
        prefix_matching_score(torch.ones(1, 2, 3, 3), once)


def test_the_copying_score_by_hand():
    eye = torch.eye(3)
    assert copying_score(eye, eye, eye) == pytest.approx(1)
    assert copying_score(-2 * eye, eye, eye) == pytest.approx(-1)
    assert copying_score(torch.diag(torch.tensor([3.0, -1.0, 0.0])), eye, eye) == pytest.approx(0.5)
    turn = torch.tensor([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 2.0]])  # i, -i, 2
    assert copying_score(turn, eye, eye) == pytest.approx(0.5)
    assert copying_score(torch.zeros(3, 3), eye, eye) == 0.0


def test_the_copying_score_goes_through_both_tables():
    E, U = randn(13, 5, seed=1), randn(13, 5, seed=2)
    raised = E @ torch.linalg.pinv(E) @ torch.linalg.pinv(U.T) @ U.T
    W_OV = torch.linalg.pinv(E) @ torch.linalg.pinv(U.T)
    eigenvalues = torch.linalg.eigvals(raised)
    expected = (eigenvalues.real.sum() / eigenvalues.abs().sum()).item()
    assert copying_score(W_OV, E, U) == pytest.approx(expected, abs=1e-12)
    assert copying_score(torch.eye(5, dtype=torch.float64), E, E) == pytest.approx(1)


def test_the_copying_score_refuses_tables_of_another_width():
    with pytest.raises(ValueError, match=r"unembedding: expected axes \[vocabulary=3, d_model=2\]"):
        copying_score(torch.eye(2), torch.ones(3, 2), torch.ones(3, 5))
