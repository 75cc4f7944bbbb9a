"""A backward pass: torch's autograd, and what is said about a tensor."""

import pytest
import torch

from bottomup.exercises import catalog
from bottomup.exercises.engine.checking import examine
from tests.exercises.trials.verdicts import expected_of

EXERCISE = catalog()["backward-pass"]


@pytest.mark.parametrize("case", range(7, 10))
def test_the_solution_agrees_with_autograd(case: int):
    numbers = []
    for parts in EXERCISE.cases[case].inputs["made_of"]:
        number = torch.ones((), dtype=torch.float64, requires_grad=True)
        for part, slope in parts:
            number = number + slope * numbers[part]
        number.retain_grad()
        numbers.append(number)
    numbers[-1].backward()
    slopes = [0.0 if number.grad is None else number.grad.item() for number in numbers]
    assert expected_of(EXERCISE, case) == pytest.approx(slopes)


def test_a_tensor_for_the_list_is_told_so():
    report = examine(EXERCISE, lambda made_of: torch.tensor(EXERCISE.solution(made_of)))
    assert "It returned a tensor, expected 5 values." in report.message
