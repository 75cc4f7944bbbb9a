"""Exercises are made and run as torch starts, whatever a notebook has set before."""

import pytest
import torch

from bottomup.exercises import catalog, check
from bottomup.exercises.engine.checking import examine
from bottomup.exercises.engine.runner import attempt
from tests.exercises.toy import DOUBLE

# What fails where the inputs are made in float64, or the answers are.
SENSITIVE = ("local-p-window", "sinusoidal-positions", "intra-decoder-attention", "lin-penalty")
SENSITIVE += ("layer-norm", "rank-interventions")


@pytest.fixture(autouse=True)
def default():
    torch.set_default_dtype(torch.float64)
    yield torch.float64
    torch.set_default_dtype(torch.float32)


def test_inputs_and_answers_are_made_in_float32(default):
    seen = []

    def answer(x):
        seen.extend([x.dtype, torch.zeros(1).dtype])
        return 2 * x

    assert attempt(DOUBLE, answer, DOUBLE.cases[0]).error is None
    assert DOUBLE.cases[0].fresh().inputs["x"].dtype == torch.float32
    assert seen == [torch.float32] * 2
    assert torch.get_default_dtype() == default


@pytest.mark.parametrize("slug", SENSITIVE)
def test_right_answers_pass(slug):
    exercise = catalog()[slug]
    for answer in (exercise.solution, *exercise.alternatives):
        report = examine(exercise, answer)
        assert report.passed, report


STATES = {
    "autocast": lambda: torch.autocast("cpu", torch.bfloat16),
    "inference_mode": torch.inference_mode,
    "no_grad": torch.no_grad,
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("slug", ["bahdanau-step", "lin-penalty", "reinforce-loss"])
def test_right_answers_pass_whatever_state_torch_is_in(slug, state):
    with STATES[state]():
        report = examine(catalog()[slug], catalog()[slug].solution)
        assert report.passed, report
        assert torch.is_autocast_enabled("cpu") == (state == "autocast")
        assert torch.is_grad_enabled() == (state == "autocast")


def test_a_check_that_fails_blames_no_interrupt(monkeypatch):
    def broken(exercise, answer, **options):
        raise RuntimeError("expected m1 and m2 to have the same dtype")

    monkeypatch.setattr("bottomup.exercises.engine.checking.examine", broken)
    report = check("lin-penalty", lambda weights: weights)
    assert report.status == "unchecked"
    assert "m1 and m2" in report.message
    assert "interrupt" not in report.message
