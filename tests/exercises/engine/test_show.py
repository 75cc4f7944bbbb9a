import re

import numpy as np
import pytest
import torch

from bottomup.exercises.engine.show import (
    Described,
    describe_error,
    first_lines,
    show,
    show_apart,
    side_by_side,
)
from tests.drawn import seeded


@pytest.mark.parametrize(
    "value, text",
    [
        (torch.tensor([1 / 3, -1e-9]), "float32 (2,)\n[ 0.3333  0.    ]"),
        (torch.tensor([[1, 2], [3, 4]]), "int64 (2, 2)\n[[1 2]\n [3 4]]"),
        (torch.ones(2, device="meta"), "float32 (2,)\n(device meta: no values)"),
        (np.array([1.5]), "NumPy float64 (1,)\n[1.5]"),
        (torch.tensor(0.1), "0.1 (float32)"),
        (torch.tensor(-0.0), "0 (float32)"),
        (torch.tensor([2e-8, -3.25e-8]), "float32 (2,)\n[ 2.00e-08 -3.25e-08]"),
        (torch.tensor([0.0, 5e-4]), "float32 (2,)\n[0.     0.0005]"),
        (torch.tensor([float("nan"), 1e-9]), "float32 (2,)\n[   nan 1.e-09]"),
        (1 / 3, "0.3333"),
        (-0.0, "0"),
        (10**20, "1e+20"),
        (True, "True"),
        ({(2, 1), (0, 1)}, "{(0, 1), (2, 1)}"),
        ([1, 0.5], "[1, 0.5]"),
        (list(range(100)), "[0, 1, 2, 3, 4, 5, 6, 7, …]"),
        (object(), "(a value of type object)"),
        (torch.zeros_like, "(the function zeros_like)"),
        (lambda x: x, "(a function)"),
        (torch.tensor([1234.56789]), "float32 (1,)\n[1234.57]"),
    ],
)
def test_values_are_shown_with_few_digits(value, text):
    assert show(value) == text


@pytest.mark.parametrize(
    "value",
    [
        torch.zeros(1).expand(10**5, 10**6),
        "x" * 10**6,
        [0] * 10**6,
        10**5000,
        torch.eye(3).to_sparse(),
    ],
    ids=["tensor", "text", "list", "integer", "sparse"],
)
def test_a_huge_or_odd_value_is_shown_shortly(value):
    assert len(show(value)) < 400


def test_a_large_tiny_array_shows_exponents_in_its_corners():
    text = show(torch.full((7, 11), 2e-8, dtype=torch.float64))
    assert text.startswith("float64 (7, 11)\n[[2.e-08 2.e-08 ... 2.e-08 2.e-08]")


def test_an_input_may_say_what_it_is():
    class Machine(Described):
        def __repr__(self) -> str:
            return "a machine" + "!" * 1000

    assert show(Machine()).startswith("a machine!")
    assert len(show(Machine())) < 400


class Odd(dict):
    def __iter__(self):
        raise RuntimeError


class Broken(Exception):
    def __str__(self) -> str:
        raise RuntimeError


def test_what_cannot_be_looked_at_is_named_and_an_error_takes_one_line_without_addresses():
    assert show(Odd(a=1)) == "(a value of type Odd)"
    error = ValueError("bad\n  value at 0x7f12ab34cd56")
    assert describe_error(error) == "ValueError: bad value at 0x…"
    assert (describe_error(KeyError()), describe_error(Broken())) == ("KeyError", "Broken")
    assert len(describe_error(ValueError("x" * 10**5))) < 400


@pytest.mark.parametrize(
    "got, expected, texts",
    [
        (0.25, 0.5, ("0.25", "0.5")),
        (0.25, 0.2500001, ("0.25", "0.2500001")),
        ({"a": [1.0]}, {"a": [1.000001]}, ("{'a': [1]}", "{'a': [1.000001]}")),
        (
            torch.tensor([0.5]),
            torch.tensor([0.5 + 2**-20]),
            ("float32 (1,)\n[0.5]", "float32 (1,)\n[0.500001]"),
        ),
    ],
)
def test_values_that_look_alike_are_shown_with_more_digits(got, expected, texts):
    assert show_apart(got, expected) == texts


def test_a_long_print_is_cut_and_blocks_stand_beside_each_other():
    text = "".join(f"step {number}\n" for number in range(11))
    assert first_lines(text) == text.replace("step 10\n", "… (the rest is left out)")
    assert first_lines(text[:-8]) == text[:-8]
    assert side_by_side("ab\nc", "x\ny\nz", gap=" | ") == "ab | x\nc  | y\n   | z"


def test_many_axes_of_a_few_numbers_take_one_line():
    value = torch.tensor([[[[4.0], [1.0]], [[2.0], [6.0]]]])
    assert show(value) == "float32 (1, 2, 2, 1)\n[[[[4.] [1.]] [[2.] [6.]]]]"
    assert show(value[0, 0]) == "float32 (2, 1)\n[[4.]\n [1.]]"


def test_blocks_of_many_axes_are_one_blank_line_apart():
    assert "\n\n" in (text := show(torch.randn(2, 2, 2, 2, generator=seeded())))
    assert not re.search(r"\n\s*\n\s*\n", text)


def test_of_a_large_tensor_one_matrix_is_shown_the_first_that_differs():
    expected = torch.zeros(2, 3, 5, 7)
    got = expected.clone()
    got[1, 2, 0, 6] = 4.0
    assert show(expected).startswith("float32 (2, 3, 5, 7), here at [0, 0]:\n[[0. 0.")
    ours, theirs = show_apart(got, expected)
    assert ours.startswith("float32 (2, 3, 5, 7), here at [1, 2]:\n[[0. 0. 0. 0. 0. 0. 4.]")
    assert theirs.startswith("float32 (2, 3, 5, 7), here at [1, 2]:\n[[0. 0. 0. 0. 0. 0. 0.]")
    in_tuples = show_apart((expected, got), (expected, expected))
    assert "here at [0, 0]" in in_tuples[0] and "here at [1, 2]" in in_tuples[0]


def test_matrices_of_a_tuple_stand_one_below_the_other_and_what_both_have_is_left_out():
    same, got, expected = torch.zeros(2, 3), torch.ones(1, 2), torch.ones(1, 2) * 2
    ours, theirs = show_apart((same, got), (same, expected))
    assert ours == "1: float32 (2, 3) (the same)\n2: float32 (1, 2)\n[[1. 1.]]"
    assert theirs == "1: float32 (2, 3) (the same)\n2: float32 (1, 2)\n[[2. 2.]]"
    ours, theirs = show_apart((same, 1.00001 * got), (same, got))  # seen with more digits alone
    assert ours != theirs and "(the same)" in ours
