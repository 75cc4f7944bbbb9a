"""Structured self-attention: values by hand, masks, the penalty, gradients, bad input."""

import math

import pytest
import torch

from bottomup.attention import (
    StructuredSelfAttention,
    overlap_penalty,
    structured_embedding,
    structured_weights,
)
from bottomup.masks import padding_mask
from tests.drawn import global_seed, randn

BATCH, POSITIONS, HOPS, D_STATE, D_ATTENTION = 2, 5, 3, 7, 11


def inputs(device=None):
    return (
        randn(BATCH, POSITIONS, D_STATE, seed=1, device=device),
        randn(D_ATTENTION, D_STATE, seed=2, device=device),
        randn(HOPS, D_ATTENTION, seed=3, device=device),
    )


def module(device="cpu"):
    with global_seed(3):
        made = StructuredSelfAttention(D_STATE, D_ATTENTION, HOPS)
    return made.to(device, torch.float64)


def test_two_hops_over_two_positions_by_hand():
    states = torch.tensor([[0.0], [100.0]])  # tanh gives 0 and 1
    W_s1 = torch.tensor([[1.0]])
    W_s2 = torch.tensor([[math.log(3)], [0.0]])
    embedding, weights = structured_embedding(states, W_s1, W_s2)
    torch.testing.assert_close(weights, torch.tensor([[0.25, 0.75], [0.5, 0.5]]))
    torch.testing.assert_close(embedding, torch.tensor([[75.0], [50.0]]))


def test_padding_is_not_read_and_a_row_of_nothing_gives_zeros():
    states, W_s1, W_s2 = (x.requires_grad_() for x in inputs())
    mask = padding_mask(torch.tensor([3, 0]), POSITIONS)
    embedding, weights = structured_embedding(states, W_s1, W_s2, mask)
    short, _ = structured_embedding(states[:1, :3], W_s1, W_s2)
    torch.testing.assert_close(embedding[:1], short)
    assert weights[0, :, 3:].abs().sum() == 0
    assert embedding[1].abs().sum() == weights[1].abs().sum() == 0
    (embedding.sum() + overlap_penalty(weights).sum()).backward()
    assert all(x.grad.isfinite().all() for x in (states, W_s1, W_s2))


def test_the_penalty_of_three_matrices_by_hand():
    apart = torch.tensor([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    same = torch.tensor([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    halves = torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
    weights = torch.stack([apart, same, halves])
    assert overlap_penalty(weights).tolist() == [0.0, 2.0, 0.25]
    assert overlap_penalty(apart).item() == 0.0


def test_gradients_are_right():
    leaves = [x.requires_grad_() for x in (randn(3, 2), randn(2, 2, seed=2), randn(2, 2, seed=3))]
    mask = torch.tensor([True, True, False])

    def everything(*tensors):
        embedding, weights = structured_embedding(*tensors, mask)
        return embedding, weights, overlap_penalty(weights)

    assert torch.autograd.gradcheck(everything, leaves)


def test_module_equals_the_function_and_learns_all_of_it(device):
    made = module(device)
    states = inputs(device)[0]
    mask = padding_mask(torch.tensor([4, 5], device=device))
    embedding, weights = made(states, mask)
    expected = structured_embedding(states, made.W_s1, made.W_s2, mask)
    assert torch.equal(embedding, expected[0])
    assert torch.equal(weights, expected[1])
    embedding.square().sum().backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in made.parameters())


def test_bad_input_is_named():
    states, W_s1, W_s2 = inputs()
    with pytest.raises(ValueError, match=r"mask: .* broadcasts to \(2, 3, 5\), got \(2, 5\)"):
        structured_weights(states, W_s1, W_s2, torch.ones(BATCH, POSITIONS, dtype=torch.bool))


def test_module_names_what_is_wrong():
    with pytest.raises(ValueError, match=r"states: expected axes \[..., position, d_state=7\]"):
        module()(randn(BATCH, POSITIONS, D_STATE + 1))
