"""Gumbel straight-through: how often each position is drawn, and the library's gradient."""

import pytest
import torch

from bottomup.attention import gumbel_straight_through
from bottomup.exercises import catalog
from tests.drawn import randn, seeded

SOLUTION = catalog()["straight-through"].solution


def test_the_draws_have_the_probabilities_of_the_softmax():
    scores = torch.tensor([0.0, 1.0, 0.5])
    u = torch.rand(20_000, 3, generator=seeded(2)).clamp(min=1e-6, max=1 - 1e-6)
    shares = SOLUTION(scores.expand(20_000, 3), u, 0.5).mean(0)
    torch.testing.assert_close(shares, scores.softmax(0), atol=0.02, rtol=0)


@pytest.mark.parametrize("temperature", [0.3, 1.0, 3.0])
def test_the_gradient_is_that_of_the_library(temperature: float):
    scores = randn(5, 7).requires_grad_()
    exponential = torch.empty_like(scores.detach()).exponential_(generator=seeded(3))
    theirs = gumbel_straight_through(scores, temperature=temperature, generator=seeded(3))
    ours = SOLUTION(scores, (-exponential).exp(), temperature)
    torch.testing.assert_close(ours, theirs)
    gradients = [torch.autograd.grad((x * randn(5, 7)).sum(), scores)[0] for x in (ours, theirs)]
    torch.testing.assert_close(*gradients)
