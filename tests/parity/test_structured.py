"""Lin's hops against torch: a network of two layers, a softmax over positions, a norm."""

import pytest
import torch
from torch import nn

from bottomup.attention import StructuredSelfAttention, overlap_penalty
from bottomup.masks import padding_mask
from tests.drawn import global_seed
from tests.parity.comparison import close, in_each_dtype

BATCH, POSITIONS, HOPS, D_STATE, D_ATTENTION = 2, 5, 3, 7, 11


@pytest.mark.parametrize("masked", [False, True])
@in_each_dtype
def test_the_module_is_torch_s_two_linear_layers_and_a_softmax(dtype, masked, device):
    with global_seed(5):
        made = StructuredSelfAttention(D_STATE, D_ATTENTION, HOPS).to(device, dtype)
        states = torch.randn(BATCH, POSITIONS, D_STATE).to(device, dtype).requires_grad_()
    first = nn.Linear(D_STATE, D_ATTENTION, bias=False).to(device, dtype)
    second = nn.Linear(D_ATTENTION, HOPS, bias=False).to(device, dtype)
    first.weight, second.weight = nn.Parameter(made.W_s1), nn.Parameter(made.W_s2)
    mask = padding_mask(torch.tensor([5, 2], device=device)) if masked else None
    scores = nn.Sequential(first, nn.Tanh(), second)(states).mT
    scores = scores if mask is None else scores.masked_fill(~mask, -torch.inf)
    wanted = scores.softmax(-1)
    identity = torch.eye(HOPS, dtype=dtype, device=device)
    penalty = torch.linalg.matrix_norm(torch.bmm(wanted, wanted.mT) - identity) ** 2
    embedding, weights = made(states, mask)
    got = (weights, embedding, overlap_penalty(weights))
    expected = (wanted, torch.bmm(wanted, states), penalty)
    limit = close(device, dtype)
    for ours, theirs in zip(got, expected, strict=True):
        torch.testing.assert_close(ours, theirs, **limit)
        gradients = [
            torch.autograd.grad(y.sum(), states, retain_graph=True) for y in (ours, theirs)
        ]
        torch.testing.assert_close(*gradients, **limit)
