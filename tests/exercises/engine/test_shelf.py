"""The cases that an exercise gets from the shelf."""

import pytest
import torch

from bottomup.exercises import Case
from bottomup.exercises.engine import case, normal, tensor
from bottomup.exercises.engine.shelf import shelf

STUB = 'def double(x):\n    """Twice x, of the same dtype."""\n    ...\n'
HAND = case("by hand", x=tensor([[1.0, 2.0]]))
DRAWN = case("drawn", seed=3, x=normal(3, 5))


def by_name(*cases: Case, stub: str = STUB, without: dict[str, str] | None = None) -> dict:
    return {each.name: each.inputs for each in shelf(cases, stub, without or {})}


def test_they_are_made_from_the_first_random_case():
    inputs = by_name(HAND, DRAWN, case("another", seed=4, x=normal(2, 7)))
    x = DRAWN.inputs["x"]
    double = inputs["random numbers in float64"]["x"]
    assert double.dtype == torch.float64 and torch.equal(double, x.double())
    columns = inputs["matrices that are not contiguous in memory"]["x"]
    assert torch.equal(columns, x) and not columns.is_contiguous()
    assert torch.equal(inputs["a batch of one"]["x"], x[:1])
    again = inputs["the same sizes with other numbers"]["x"]
    assert again.shape == x.shape and not torch.equal(again, x)


def test_only_what_fits_is_there():
    assert by_name(HAND) == {}
    assert "random numbers in float64" not in by_name(DRAWN, stub="def double(x): ...")
    other = case("in float64", x=tensor([1.0], dtype=torch.float64))
    assert "random numbers in float64" not in by_name(DRAWN, other)
    two_sizes = case("two", seed=3, x=normal(3, 5), y=normal(5))
    assert "a batch of one" not in by_name(two_sizes)
    vector = case("vector", seed=3, x=normal(7))
    assert "matrices that are not contiguous in memory" not in by_name(vector)


def test_an_exercise_leaves_one_out_with_a_reason_and_none_that_is_not_there():
    assert "a batch of one" not in by_name(DRAWN, without={"a batch of one": "one sentence only"})
    with pytest.raises(ValueError, match="WITHOUT: expected one of float64, .*, got 'bfloat16'"):
        by_name(DRAWN, without={"bfloat16": "too coarse"})
