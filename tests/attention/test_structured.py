"""Structured self-attention: values by hand, loops, masks, the penalty, gradients, bad input."""

import math

import pytest
import torch

from bottomup.attention import (
    StructuredSelfAttention,
    additive_scores,
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


def test_weights_and_embedding_equal_their_formula_in_loops(device):
    states, W_s1, W_s2 = inputs(device)
    embedding, weights = structured_embedding(states, W_s1, W_s2)
    assert weights.shape == (BATCH, HOPS, POSITIONS)
    assert embedding.shape == (BATCH, HOPS, D_STATE)
    for b in range(BATCH):
        hidden = [torch.tanh(W_s1 @ states[b, j]) for j in range(POSITIONS)]
        for i in range(HOPS):
            e = torch.stack([torch.exp(W_s2[i] @ one) for one in hidden])
            torch.testing.assert_close(weights[b, i], e / e.sum())
            read = sum(e[j] / e.sum() * states[b, j] for j in range(POSITIONS))
            torch.testing.assert_close(embedding[b, i], read)


def test_a_hop_is_additive_attention_without_a_query():
    states, W_s1, W_s2 = inputs()
    weights = structured_weights(states, W_s1, W_s2)
    nothing = torch.zeros(BATCH, 1, 1, dtype=torch.float64)
    for i in range(HOPS):
        scores = additive_scores(nothing, states, randn(D_ATTENTION, 1), W_s1, W_s2[i])
        torch.testing.assert_close(weights[:, i], scores[:, 0].softmax(-1))


def test_a_hop_does_not_depend_on_the_other_hops():
    states, W_s1, W_s2 = inputs()
    embedding, weights = structured_embedding(states, W_s1, W_s2)
    alone, its_weights = structured_embedding(states, W_s1, W_s2[1:2])
    torch.testing.assert_close(alone, embedding[:, 1:2])
    torch.testing.assert_close(its_weights, weights[:, 1:2])


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


def test_hops_may_have_masks_of_their_own():
    states, W_s1, W_s2 = inputs()
    mask = torch.ones(HOPS, POSITIONS, dtype=torch.bool)
    mask[1, 2] = False
    weights = structured_weights(states, W_s1, W_s2, mask)
    assert (weights[:, 1, 2] == 0).all()
    assert (weights[:, [0, 2]] > 0).all()


def test_the_penalty_of_three_matrices_by_hand():
    apart = torch.tensor([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    same = torch.tensor([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    halves = torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
    weights = torch.stack([apart, same, halves])
    assert overlap_penalty(weights).tolist() == [0.0, 2.0, 0.25]
    assert overlap_penalty(apart).item() == 0.0


def test_the_penalty_equals_its_formula_in_loops(device):
    weights = structured_weights(*inputs(device))
    found = overlap_penalty(weights)
    for b in range(BATCH):
        A = weights[b]
        pairs = [(i, j) for i in range(HOPS) for j in range(HOPS)]
        expected = sum((A[i] @ A[j] - int(i == j)) ** 2 for i, j in pairs)
        torch.testing.assert_close(found[b], expected)


def test_a_sentence_without_words_costs_one_for_each_hop():
    states, W_s1, W_s2 = inputs()
    weights = structured_weights(states, W_s1, W_s2, padding_mask(torch.tensor([5, 0])))
    assert overlap_penalty(weights)[1].item() == HOPS


def test_descending_the_penalty_moves_hops_apart_and_sharpens_them():
    states, W_s1, W_s2 = inputs()
    W_s2 = (0.1 * W_s2).requires_grad_()
    before = structured_weights(states[:1], W_s1, W_s2).detach()
    for _step in range(300):
        penalty = overlap_penalty(structured_weights(states[:1], W_s1, W_s2)).mean()
        (gradient,) = torch.autograd.grad(penalty, W_s2)
        W_s2 = (W_s2 - 0.5 * gradient).detach().requires_grad_()
    after = structured_weights(states[:1], W_s1, W_s2).detach()
    products = [weights[0] @ weights[0].T for weights in (before, after)]
    off = ~torch.eye(HOPS, dtype=torch.bool)
    assert products[1][off].max() < 0.5 * products[0][off].min()
    assert (after.amax(dim=-1) > before.amax(dim=-1)).all()


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


def test_module_reads_sequences_of_every_length_into_one_shape():
    made = module()
    shapes = {made(inputs()[0][:, :n])[0].shape for n in range(1, POSITIONS + 1)}
    assert shapes == {(BATCH, HOPS, D_STATE)}
    assert made(inputs()[0][:, :1])[1].tolist() == [[[1.0]] * HOPS] * BATCH


def test_bad_input_is_named():
    states, W_s1, W_s2 = inputs()
    with pytest.raises(ValueError, match=r"W_s1: expected axes \[d_attention, d_state=7\]"):
        structured_weights(states, W_s1.T, W_s2)
    with pytest.raises(ValueError, match=r"W_s2: expected axes \[hop, d_attention=11\]"):
        structured_weights(states, W_s1, W_s2.T)
    with pytest.raises(ValueError, match="states: axis position must not be empty"):
        structured_embedding(states[:, :0], W_s1, W_s2)
    with pytest.raises(TypeError, match="W_s2: expected the dtype torch.float64 of states"):
        structured_embedding(states, W_s1, W_s2.float())
    with pytest.raises(TypeError, match="mask: expected a boolean mask"):
        structured_weights(states, W_s1, W_s2, torch.ones(POSITIONS))
    with pytest.raises(ValueError, match=r"mask: .* broadcasts to \(2, 3, 5\), got \(2, 5\)"):
        structured_weights(states, W_s1, W_s2, torch.ones(BATCH, POSITIONS, dtype=torch.bool))
    with pytest.raises(ValueError, match=r"weights: expected axes \[..., hop, position\]"):
        overlap_penalty(randn(POSITIONS))
    with pytest.raises(TypeError, match="weights: expected a floating-point tensor"):
        overlap_penalty(torch.ones(2, 3, dtype=torch.int64))


def test_module_names_what_is_wrong():
    with pytest.raises(ValueError, match="hops: expected an integer of at least 1, got 0"):
        StructuredSelfAttention(D_STATE, D_ATTENTION, 0)
    with pytest.raises(TypeError, match="d_attention: expected an integer, got 2.0"):
        StructuredSelfAttention(D_STATE, 2.0, HOPS)
    with pytest.raises(ValueError, match=r"states: expected axes \[..., position, d_state=7\]"):
        module()(randn(BATCH, POSITIONS, D_STATE + 1))
    with pytest.raises(TypeError, match="states: expected the dtype torch.float64 of W_s1"):
        module()(randn(BATCH, POSITIONS, D_STATE).float())
