"""Where values differ, in a sentence."""

from dataclasses import replace
from math import nan

import pytest
import torch
from torch import Tensor

from bottomup.exercises import Case
from bottomup.exercises.engine.checking import examine
from bottomup.exercises.engine.compare import difference
from bottomup.exercises.engine.where import located
from tests.exercises.toy import DOUBLE

EXPECTED = torch.arange(1.0, 16.0).reshape(3, 5)
MASK = torch.tensor([[True, False, True, True, False]])


def changed(rows, columns, by: float = 1.0) -> Tensor:
    got = EXPECTED.clone()
    got[rows, columns] += by
    return got


@pytest.mark.parametrize(
    "got, sentence",
    [
        (changed(1, 3), "It is at [1, 3]."),
        (changed(slice(0, 1), slice(None)), "All of them are in row 0."),
        (changed(slice(None), 4), "All of them are in column 4."),
        (changed(slice(1, None), slice(None)), "All of them are in the rows from 1 on."),
        (changed(slice(None), slice(1, 4)), "All of them are in the columns 1 to 3."),
        (changed(slice(None), [1, 4]), "All of them are where mask is False."),
        (changed(1, [1, 3], nan), "All of them are in row 1."),
        (EXPECTED / 3, "Each is 0.3333 times the expected one."),
        (changed([0, 2], [0, 4]), ""),
        (EXPECTED + 1, ""),
    ],
)
def test_what_the_wrong_values_have_in_common_is_said(got: Tensor, sentence: str):
    plain = difference(got, EXPECTED)
    assert located(got, EXPECTED, {"mask": MASK}, plain) == sentence


def test_of_more_than_two_axes_the_axis_is_named():
    expected = torch.zeros(2, 3, 5)
    got = expected.clone()
    got[:, 1:] = 1.0
    said = located(got, expected, {}, "20 of 30 values differ, by at most 1.")
    assert said == "All of them are from index 1 of axis 1 on."


def test_nothing_is_said_where_an_exercise_compares_in_its_own_way():
    assert located(EXPECTED + 1, EXPECTED, {}, "The spaces differ.") == ""
    assert located("text", EXPECTED, {}, "It returned a value of type str.") == ""


def test_a_report_says_it_and_counts_the_cases():
    rows = Case("rows", lambda generator: {"x": torch.ones(3, 2)})
    exercise = replace(DOUBLE, cases=(*DOUBLE.cases, rows))

    def answer(x):
        return torch.cat([2 * x[:1], x[1:] + 5]) if x.ndim == 2 else 2 * x

    report = examine(exercise, answer)
    assert report.message == (
        "4 of 6 values differ, by at most 4. All of them are in the rows from 1 on. "
        "3 of 4 cases agree with the solution."
    )
    assert (report.cases, report.agreeing, report.score) == (4, 3, 0.75)
