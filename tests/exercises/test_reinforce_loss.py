"""The REINFORCE loss: gradients by hand, and what the report says of typical answers."""

import pytest
import torch

from bottomup.exercises import catalog
from bottomup.exercises.checking import examine

EXERCISE = catalog()["reinforce-loss"]


def expected(case: int) -> dict[str, torch.Tensor | None]:
    return EXERCISE.run(EXERCISE.solution, EXERCISE.cases[case].fresh()).gradients


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

    assert examine(EXERCISE, shifted).passed


def test_a_baseline_that_lies_in_both_terms_and_carries_a_gradient_is_named():
    def both(r, log_p, b):
        return -(r - b + (r.detach() - b) * log_p).mean()

    report = examine(EXERCISE, both)
    assert report.misconception == "baseline-with-gradient"


def test_an_answer_without_gradient_is_told_so():
    def constant(r, log_p, b):
        return -(r + (r - b) * log_p).mean().detach()

    report = examine(EXERCISE, constant)
    assert "has no gradient: the model could not learn from it" in report.message


def test_an_answer_for_each_draw_is_told_its_shape():
    def apart(r, log_p, b):
        return -(r + (r - b).detach() * log_p)

    report = examine(EXERCISE, apart)
    assert "The result has shape (2,), expected ()." in report.message


def test_nothing_detached_is_named_for_the_reward():
    report = examine(EXERCISE, lambda r, log_p, b: -(r + (r - b) * log_p).mean())
    assert report.misconception == "reward-with-gradient"
