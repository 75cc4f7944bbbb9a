"""The REINFORCE loss: gradients by hand, and what the report says of typical answers."""

import pytest
import torch

from bottomup.exercises import catalog
from tests.exercises.trials.verdicts import expected_of, named, report_on, wrong_answers

EXERCISE = catalog()["reinforce-loss"]


def expected(case: int) -> dict[str, torch.Tensor | None]:
    return expected_of(EXERCISE, case).gradients


def test_the_gradients_of_the_first_case():
    # r = (-1, -3), b = -1.5: brackets .5 and -1.5; two draws, and the loss is minus their mean
    found = expected(0)
    assert found["log_likelihood"].tolist() == [-0.5, -0.5]
    assert found["log_probability"].tolist() == [-0.25, 0.75]
    assert found["baseline"] is None


def test_a_reward_at_the_baseline_teaches_the_attention_nothing():
    found = expected(6)
    assert found["log_probability"].tolist() == [0.0, 0.0, 0.0]
    assert found["log_likelihood"].sum().item() == pytest.approx(-1)


def test_the_value_of_the_loss_is_free():
    def shifted(r, log_p, b):
        return 7 - (r + (r - b).detach() * log_p).mean()

    assert report_on(EXERCISE, shifted).passed


def test_a_detached_baseline_in_the_first_term_passes():
    def answer(r, log_p, b):
        return -(r - b.detach() + (r - b).detach() * log_p).mean()

    assert report_on(EXERCISE, answer).passed


@pytest.mark.parametrize(
    "objective",
    [
        lambda r, log_p, b: (r - b) + (r - b).detach() * log_p,
        lambda r, log_p, b: (r - b) * torch.exp(log_p - log_p.detach()),
    ],
)
def test_a_first_term_that_moves_the_baseline_is_named(objective):
    report = report_on(EXERCISE, lambda *inputs: -objective(*inputs).mean())
    assert report.misconception == "first-term-moves-the-baseline"
    assert "The gradient of baseline" in report.evidence.difference


@pytest.mark.parametrize("floor", [0.0, 1e-8])
def test_a_bracket_over_its_standard_deviation_is_named(floor):
    def answer(r, log_p, b):
        advantage = (r - b).detach()
        return -(r + advantage / (advantage.std() + floor) * log_p).mean()

    assert named(EXERCISE, answer) == "bracket-scaled"


@pytest.mark.parametrize("factor", [-1, 2])
def test_another_multiple_of_the_baseline_keeps_its_gradient(factor):
    def answer(r, log_p, b):
        return -(r - factor * b + (r - b).detach() * log_p).mean()

    report = report_on(EXERCISE, answer)
    assert "The gradient of baseline" in report.message


def test_an_answer_without_gradient_is_told_so():
    def constant(r, log_p, b):
        return -(r + (r - b) * log_p).mean().detach()

    report = report_on(EXERCISE, constant)
    assert "has no gradient: the model could not learn from it" in report.message


def test_an_answer_for_each_draw_is_told_its_shape():
    def apart(r, log_p, b):
        return -(r + (r - b).detach() * log_p)

    report = report_on(EXERCISE, apart)
    assert "The result has shape (2,), expected ()." in report.message


def bracket(r, b):
    return (r - b).detach()


@wrong_answers(
    {
        "log-probability-detached": [
            lambda r, lp, b: r + (r - b) * lp.detach(),
            lambda r, lp, b: r + r * lp.detach(),
        ],
        "score-term-dropped": lambda r, lp, b: r + (r.detach() - b) * lp.detach(),
        "product-alone": [lambda r, lp, b: r * lp, lambda r, lp, b: (r - b) * lp],
        "reward-with-gradient": lambda r, lp, b: r - b + (r - b) * lp,
        "means-multiplied": [
            lambda r, lp, b: r.mean() + bracket(r, b).mean() * lp.mean(),
            lambda r, lp, b: r + bracket(r, b) * lp.mean(),
            lambda r, lp, b: r + bracket(r.mean(), b.mean()) * lp,
        ],
        "own-mean": [
            lambda r, lp, b: r + bracket(r, r.mean()) * lp,
            lambda r, lp, b: r + bracket(r, r.mean(-1, keepdim=True)) * lp,
        ],
        "weighted-by-probability": [
            lambda r, lp, b: lp.exp() * (r + bracket(r, b) * lp),
            lambda r, lp, b: lp.exp().detach() * (r + bracket(r, b) * lp),
        ],
    }
)
def test_a_slip_in_the_objective_is_named(wrong, mistake: str):
    assert named(EXERCISE, lambda r, lp, b: -wrong(r, lp, b).mean()) == mistake


def both(r, log_p, b):
    return -(r - b + (r.detach() - b) * log_p).mean()


def summed(r, lp, b):
    return -(lp.exp() * (r + bracket(r, b) * lp)).sum()


@wrong_answers(
    {
        "baseline-with-gradient": both,
        "reward-with-gradient": lambda r, log_p, b: -(r + (r - b) * log_p).mean(),
        "weighted-by-probability": summed,
    }
)
def test_a_slip_in_the_loss_is_named(wrong, mistake: str):
    assert named(EXERCISE, wrong) == mistake


def test_a_baseline_outside_of_the_bracket_is_not_said_to_have_no_gradient():
    report = report_on(EXERCISE, lambda r, lp, b: -(r + r.detach() * lp - b).mean())
    assert report.misconception == "baseline-unused"
    assert "no gradient" not in report.message
    assert "gradient of baseline: 1 (float32)" in report.evidence.got


def test_the_report_shows_the_loss_and_says_that_its_value_is_free():
    report = report_on(EXERCISE, lambda r, lp, b: -r.mean())
    assert report.evidence.got.startswith("2 (float32)\n")  # the mean of 1 and 3
    assert "The value of the loss is not compared." in report.evidence.difference
    assert "'" not in report.evidence.expected
