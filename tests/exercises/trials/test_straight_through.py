"""Gumbel straight-through: draws by hand, their shares, both gradients, and slips."""

import pytest
import torch
from torch.nn.functional import one_hot

from bottomup.attention import gumbel_straight_through
from bottomup.exercises import catalog
from tests.drawn import randn, seeded
from tests.exercises.trials.verdicts import expected_of, named, report_on, wrong_answers

EXERCISE = catalog()["straight-through"]


def test_the_draws_of_the_first_case():
    # e + g is 2, 1, -3 and 0, 3, 2.5
    torch.testing.assert_close(expected_of(EXERCISE, 0), torch.tensor([[1.0, 0, 0], [0, 1, 0]]))


def test_the_draws_have_the_probabilities_of_the_softmax():
    scores = torch.tensor([0.0, 1.0, 0.5])
    u = torch.rand(20_000, 3, generator=seeded(2)).clamp(min=1e-6, max=1 - 1e-6)
    shares = EXERCISE.solution(scores.expand(20_000, 3), u, 0.5).mean(0)
    torch.testing.assert_close(shares, scores.softmax(0), atol=0.02, rtol=0)


@pytest.mark.parametrize("temperature", [0.3, 1.0, 3.0])
def test_the_gradient_is_that_of_the_library(temperature: float):
    scores = randn(5, 7).requires_grad_()
    exponential = torch.empty_like(scores.detach()).exponential_(generator=seeded(3))
    theirs = gumbel_straight_through(scores, temperature=temperature, generator=seeded(3))
    ours = EXERCISE.solution(scores, (-exponential).exp(), temperature)
    torch.testing.assert_close(ours, theirs)
    gradients = [torch.autograd.grad((x * randn(5, 7)).sum(), scores)[0] for x in (ours, theirs)]
    torch.testing.assert_close(*gradients)


def gumbel(u):
    return -(-u.log()).log()


def hot(numbers):
    return one_hot(numbers.argmax(-1), numbers.shape[-1]).to(numbers.dtype)


def answer(
    join, soft=lambda e, y, tau: torch.softmax(y / tau, -1), noisy=lambda e, u: e + gumbel(u)
):
    """A reader's answer from the one-hot row and the softmax."""

    def straight(e, u, tau):
        y = noisy(e, u)
        return join(hot(y), soft(e, y, tau))

    return straight


def right(hard, soft):
    return (hard - soft).detach() + soft


class StraightThrough(torch.autograd.Function):
    @staticmethod
    def forward(ctx, soft):
        return hot(soft)

    @staticmethod
    def backward(ctx, gradient):
        return gradient


@pytest.mark.parametrize(
    "straight",
    [
        answer(right),
        answer(lambda hard, soft: StraightThrough.apply(soft)),
        answer(right, noisy=lambda e, u: e.log_softmax(-1) + gumbel(u)),
        answer(right, soft=lambda e, y, tau: torch.exp(torch.log_softmax(y / tau, -1))),
    ],
)
def test_right_answers_of_other_kinds_pass(straight):
    assert report_on(EXERCISE, straight).passed


@wrong_answers(
    {
        "softmax-forwards": answer(lambda hard, soft: soft),
        "softmax-added": answer(lambda hard, soft: hard + soft),
        "gradient-reversed": answer(lambda hard, soft: hard - (soft - soft.detach())),
        "one-hot-times-softmax": [
            answer(lambda hard, soft: hard * soft),
            answer(lambda hard, soft: soft * hard / soft.detach()),
        ],
        "no-noise": answer(right, noisy=lambda e, u: e),
        "noise-subtracted": answer(right, noisy=lambda e, u: e + torch.log(-torch.log(u))),
        "one-logarithm": answer(right, noisy=lambda e, u: e - torch.log(u)),
        "uniform-noise": answer(right, noisy=lambda e, u: e + u),
        "noise-on-the-weights": answer(right, noisy=lambda e, u: e.softmax(-1) + gumbel(u)),
        "temperature-missing": answer(right, soft=lambda e, y, tau: y.softmax(-1)),
        "temperature-multiplied": answer(right, soft=lambda e, y, tau: (tau * y).softmax(-1)),
        "noise-missing-backwards": [
            answer(right, soft=lambda e, y, tau: (e / tau).softmax(-1)),
            answer(right, soft=lambda e, y, tau: e.softmax(-1)),
        ],
        "gradient-of-the-scores": answer(right, soft=lambda e, y, tau: e),
        "overflow": answer(
            right, soft=lambda e, y, tau: (y / tau).exp() / (y / tau).exp().sum(-1, keepdim=True)
        ),
        "positions-returned": lambda e, u, tau: (e + gumbel(u)).argmax(-1),
        "temperature-before-the-noise": lambda e, u, tau: right(
            hot(e / tau + gumbel(u)), (e / tau + gumbel(u)).softmax(-1)
        ),
        "first-axis": lambda e, u, tau: right(
            torch.zeros_like(e).scatter(0, (e + gumbel(u)).argmax(0, keepdim=True), 1.0),
            ((e + gumbel(u)) / tau).softmax(0),
        ),
    }
)
def test_a_slip_is_named(wrong, mistake: str):
    assert named(EXERCISE, wrong) == mistake


def test_a_draw_without_the_softmax_is_told_that_a_model_could_not_learn():
    report = report_on(EXERCISE, lambda e, u, tau: hot(e + gumbel(u)))
    assert report.misconception is None
    assert "no gradient leads back from them to scores" in report.message


@pytest.mark.parametrize("slug", ["straight-through", "input-feeding", "bahdanau-step"])
def test_the_stub_says_that_a_gradient_is_compared(slug: str):
    assert "gradient" in " ".join(catalog()[slug].stub.split())
