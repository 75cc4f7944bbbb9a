"""Luong's scores: values by hand, the algebra that links them, gradients, bad input."""

import math

import pytest
import torch

from bottomup.attention import (
    ConcatAttention,
    DotAttention,
    GeneralAttention,
    LocationAttention,
    additive_scores,
    concat_scores,
    dot_scores,
    general_scores,
    location_scores,
)
from tests.drawn import randn

BATCH, QUERY, KEY, D_QUERY, D_KEY, D_ATTENTION, POSITIONS = 2, 3, 5, 7, 11, 13, 17


def test_dot_by_hand():
    scores = dot_scores(torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 4.0], [0.0, -1.0]]))
    assert scores.tolist() == [[11.0, -2.0]]


def test_general_by_hand():
    # query [1, 2], W_a maps keys of width 1 into the query's space: (1, 2) · (3, -1) k = k
    W_a = torch.tensor([[3.0], [-1.0]])
    scores = general_scores(torch.tensor([[1.0, 2.0]]), torch.tensor([[5.0], [-4.0]]), W_a)
    assert scores.tolist() == [[5.0, -4.0]]


def test_concat_by_hand():
    W_a, v_a = torch.tensor([[2.0, -1.0]]), torch.tensor([3.0])
    scores = concat_scores(torch.tensor([[0.5]]), torch.tensor([[1.0], [2.0]]), W_a, v_a)
    expected = [3 * math.tanh(2 * 0.5 - 1), 3 * math.tanh(2 * 0.5 - 2)]
    assert torch.allclose(scores, torch.tensor([expected]))


def test_location_weights_of_three_words_by_hand():
    attention = LocationAttention(1, 4)
    attention.W_a.data[:] = torch.tensor([[0.0], [math.log(2)], [math.log(3)], [100.0]])
    value = torch.tensor([[6.0], [12.0], [18.0]])
    output, weights = attention(torch.tensor([[1.0]]), torch.ones(3, 5), value)
    assert torch.allclose(weights, torch.tensor([[1 / 6, 2 / 6, 3 / 6]]))
    assert torch.allclose(output, torch.tensor([[14.0]]))


def test_location_takes_as_many_words_as_it_has_rows_and_not_one_more():
    query, W_a = randn(QUERY, D_QUERY), randn(POSITIONS, D_QUERY)
    assert location_scores(query, POSITIONS, W_a).shape == (QUERY, POSITIONS)
    message = r"key_count: expected at most 17 source positions, the rows of W_a, got 18"
    with pytest.raises(ValueError, match=message):
        location_scores(query, POSITIONS + 1, W_a)
    with pytest.raises(ValueError, match="key_count: expected at most 3 source .* got 5"):
        LocationAttention(D_QUERY, 3).double().score(query, randn(KEY, D_KEY))


def test_concat_is_additive_with_its_matrix_cut_in_two():
    query, key = randn(BATCH, QUERY, D_QUERY), randn(BATCH, KEY, D_KEY, seed=2)
    W, U, v_a = randn(D_ATTENTION, D_QUERY), randn(D_ATTENTION, D_KEY, seed=3), randn(D_ATTENTION)
    concat = concat_scores(query, key, torch.cat([W, U], dim=1), v_a)
    assert torch.allclose(concat, additive_scores(query, key, W, U, v_a), rtol=1e-12)
    pair = torch.cat([query[1, 2], key[1, 4]])
    assert torch.allclose(concat[1, 2, 4], v_a @ torch.tanh(torch.cat([W, U], 1) @ pair))


def test_scores_pass_gradcheck():
    query, key = randn(QUERY, D_QUERY).requires_grad_(), randn(KEY, D_KEY).requires_grad_()
    W_a, v_a = randn(D_QUERY, D_KEY).requires_grad_(), randn(D_ATTENTION).requires_grad_()
    W_c = randn(D_ATTENTION, D_QUERY + D_KEY).requires_grad_()
    assert torch.autograd.gradcheck(dot_scores, (query, query))
    assert torch.autograd.gradcheck(general_scores, (query, key, W_a))
    assert torch.autograd.gradcheck(concat_scores, (query, key, W_c, v_a))
    W_l = randn(POSITIONS, D_QUERY).requires_grad_()
    assert torch.autograd.gradcheck(lambda query, W_l: location_scores(query, 3, W_l), (query, W_l))


MODULES = {
    "dot": (DotAttention(), D_KEY),
    "general": (GeneralAttention(D_QUERY, D_KEY), D_QUERY),
    "concat": (ConcatAttention(D_QUERY, D_KEY, D_ATTENTION), D_QUERY),
    "location": (LocationAttention(D_QUERY, POSITIONS), D_QUERY),
}


@pytest.mark.parametrize("name", MODULES)
def test_module_returns_output_and_weights(name):
    module, width = MODULES[name]
    query, key = randn(BATCH, QUERY, width).float(), randn(BATCH, KEY, D_KEY).float()
    mask = torch.tensor([[[True, True, False, True, False]], [[False] * KEY]])
    output, weights = module(query, key, key, mask)
    assert output.shape == (BATCH, QUERY, D_KEY)
    assert torch.allclose(weights[0].sum(-1), torch.ones(QUERY))
    assert torch.allclose(output[0], weights[0] @ key[0])
    assert output[1].abs().sum() == 0
    assert weights[1].abs().sum() == 0


@pytest.mark.parametrize("name", ["general", "concat", "location"])
def test_module_learns_every_parameter(name):
    module, width = MODULES[name]
    key = randn(KEY, D_KEY).float()
    module(randn(QUERY, width).float(), key, key)[0].square().sum().backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in module.parameters())


def test_bad_shapes_are_named():
    query = randn(QUERY, D_QUERY)
    with pytest.raises(ValueError, match="d_query: expected an integer of at least 1, got 0"):
        GeneralAttention(0, 3)
    with pytest.raises(ValueError, match="key_count: expected an integer of at least 1, got 0"):
        location_scores(query, 0, randn(POSITIONS, D_QUERY))
    with pytest.raises(ValueError, match="max_positions: expected an integer of at least 1, got 0"):
        LocationAttention(D_QUERY, 0)
