"""What a stub asks is said in it, and what a diagnosis says holds for the answer that gets it."""

import re

import pytest
import torch
from torch import Tensor

from bottomup.exercises import Exercise, catalog

EXERCISES = list(catalog().values())
each = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.slug)


def said_in(exercise: Exercise) -> str:
    return " ".join(exercise.stub.split())


def takes(exercise: Exercise, *kinds: type) -> bool:
    inputs = [value for case in exercise.cases for value in case.inputs.values()]
    return any(isinstance(value, kinds) for value in inputs)


@each
def test_a_stub_says_that_no_input_may_change(exercise: Exercise):
    if not takes(exercise, Tensor, list, dict, set):
        pytest.skip("no input of this exercise can be changed")
    assert re.search("in place|arguments unchanged", said_in(exercise))


@each
def test_a_stub_says_that_a_gradient_is_asked_for(exercise: Exercise):
    if not any(case.wants_gradients for case in exercise.cases):
        pytest.skip("no gradient is asked for")
    assert re.search("gradients? must flow back|gradient (does|is that)", said_in(exercise))


@pytest.mark.parametrize("slug", ["blocked-local", "column-attention"])
def test_a_stub_says_so_where_the_check_asks_in_another_way(slug: str):
    assert "a gradient must flow back" in said_in(catalog()[slug])


def test_shift_right_says_its_dtype():
    assert "of target's dtype" in said_in(catalog()["shift-right"])


# ---- The temperature


def test_the_temperature_keeps_to_dtypes_that_hold_its_range():
    exercise = catalog()["temperature"]
    assert "float32 or float64" in said_in(exercise)
    for dtype in (torch.float32, torch.float64):
        logits = torch.tensor([[1.0, 2.0, -60.0], [0.0, -torch.inf, 3.0]], dtype=dtype)
        for temperature in (1e-6, 1e6):
            assert exercise.solution(logits, temperature).isfinite().all()
    half = torch.tensor([1.0, 2.0], dtype=torch.float16)
    assert exercise.solution(half, 1e-6).isnan().any()  # why float16 is left out
