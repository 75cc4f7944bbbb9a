import random
import sys
import warnings

import numpy as np
import pytest
import torch

from bottomup.exercises import Case
from bottomup.exercises.engine.runner import OUTPUT_LIMIT, attempt, disagreement
from tests.exercises.toy import DOUBLE

CASE = DOUBLE.cases[0]


def test_every_run_gets_inputs_of_its_own():
    seen = []

    def add_in_place(x):
        seen.append(x)
        return x.add_(1)

    for _repeat in range(2):
        trial = attempt(DOUBLE, add_in_place, CASE)
        assert torch.equal(trial.value, torch.tensor([3.0, 4.0]))
        assert trial.changed == ("x",)
    assert seen[0] is not seen[1]
    assert torch.equal(CASE.inputs["x"], torch.tensor([2.0, 3.0]))


def test_an_input_resized_or_made_odd_counts_as_changed():
    assert attempt(DOUBLE, lambda x: x.resize_(0), CASE).changed == ("x",)
    listed = Case("a list", lambda generator: {"x": [1, 2]})
    assert attempt(DOUBLE, lambda x: x.clear(), listed).changed == ("x",)


def test_the_global_generators_are_untouched():
    def states():
        return random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()

    def draw(x):
        torch.manual_seed(7)
        np.random.seed(7)
        random.seed(7)
        return x

    def sample(x):
        return float(torch.rand(())) + np.random.rand() + random.random()

    before = states()
    attempt(DOUBLE, draw, CASE)
    assert attempt(DOUBLE, sample, CASE).value == attempt(DOUBLE, sample, CASE).value
    assert states() == before


def test_the_default_dtype_and_the_gradient_mode_are_put_back():
    def meddle(x):
        torch.set_default_dtype(torch.float64)
        torch.set_grad_enabled(False)

    attempt(DOUBLE, meddle, CASE)
    assert torch.get_default_dtype() == torch.float32
    assert torch.is_grad_enabled()


def test_output_is_kept_apart_and_capped(capsys: pytest.CaptureFixture[str]):
    def chatter(x):
        for _repeat in range(1000):
            print("a" * 99)
        print("an error", file=sys.stderr)

    trial = attempt(DOUBLE, chatter, CASE)
    assert trial.printed.startswith("a" * 99 + "\n")
    assert trial.printed.endswith(" … (99009 characters more)")
    assert len(trial.printed) < OUTPUT_LIMIT + 50
    assert capsys.readouterr() == ("", "")


def test_warnings_stay_inside():
    def warn(x):
        warnings.warn("look out", stacklevel=1)
        warnings.simplefilter("always")
        return x

    with warnings.catch_warnings(record=True) as caught:
        trial = attempt(DOUBLE, warn, CASE)
    assert trial.error is None
    assert caught == []


def test_a_coroutine_is_closed_without_a_warning():
    async def answer(x):
        return x

    trial = attempt(DOUBLE, answer, CASE)
    assert "type coroutine" in disagreement(DOUBLE, trial.value, CASE.inputs["x"], CASE)


def test_a_value_that_cannot_be_compared_is_reported():
    sentence = disagreement(DOUBLE, torch.eye(2).to_sparse(), torch.eye(2), CASE)
    assert "cannot be compared" in sentence
