import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from bottomup.exercises.engine.compare import difference, unchanged

nan, inf = math.nan, math.inf
VECTOR = torch.tensor([1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    "got, expected",
    [
        (VECTOR.clone(), VECTOR),
        (VECTOR + 1e-6, VECTOR),
        (torch.tensor([nan, inf]), torch.tensor([nan, inf])),
        (np.array([1.0, 2.0]), np.array([1.0, 2.0])),
        (Fraction(1, 4), 0.25),
        (0, 0.0),
        (nan, nan),
        ([VECTOR, 2], (VECTOR, 2)),
        ({"a": VECTOR}, {"a": VECTOR}),
        ({1, 2}, {2, 1}),
    ],
)
def test_equal_values_agree(got, expected):
    assert difference(got, expected) is None


@pytest.mark.parametrize(
    "got, expected, part",
    [
        (None, VECTOR, "Is a `return` missing?"),
        (VECTOR.numpy(), VECTOR, "NumPy array, expected a tensor"),
        ([1.0, 2.0, 3.0], VECTOR, "type list, expected a tensor"),
        (VECTOR[:2], VECTOR, "shape (2,), expected (3,)"),
        (VECTOR.double(), VECTOR, "dtype torch.float64, expected torch.float32"),
        (VECTOR.to("meta"), VECTOR, "device meta, expected cpu"),
        (torch.tensor([1.0, nan, nan]), VECTOR, "2 of 3 values are NaN, where numbers are"),
        (torch.tensor([1.0, nan, 3.0]), VECTOR, "1 of 3 values is NaN, where a number is"),
        (torch.tensor([1.0, 2.0, 3.5]), VECTOR, "1 of 3 values differs, by at most 0.5."),
        (torch.tensor([1.0, 2.0, inf]), VECTOR, "1 of 3 values differs, by at most inf."),
        (torch.tensor([1, 3]), torch.tensor([1, 2]), "1 of 2 values differs."),
        (torch.tensor(1.5), torch.tensor(1.0), "The value differs by 0.5."),
        (torch.tensor([[nan]]), torch.tensor([[1.0]]), "The value is NaN, where a number is"),
        (torch.tensor([1]), torch.tensor([2]), "The value differs."),
        (VECTOR, np.array([1.0]), "a tensor, expected a NumPy array"),
        (np.array([1.0, 2.0]), np.array([1.0, 3.0]), "1 of 2 values differs"),
        (True, 1.0, "a truth value, expected a number"),
        (1.0, True, "a number, expected a truth value"),
        (0.5, 0.25, "The number differs by 0.25."),
        (nan, 0.25, "The number differs by nan."),
        (VECTOR, (VECTOR, VECTOR), "a tensor, expected 2 values"),
        ((VECTOR,), (VECTOR, VECTOR), "It returned 1 value, expected 2 values."),
        ((1, 2), (1,), "It returned 2 values, expected 1 value."),
        ((VECTOR, VECTOR + 1), (VECTOR, VECTOR), "In value 2: 3 of 3 values differ"),
        ({"b": 1}, {"a": 1}, "other keys"),
        ([["a"], ["b", "c"]], [["a"], ["b", "d"]], "In value 2 of value 2: It returned 'c', exp"),
        ([["a"], ["b"]], [["a"], ["b", "d"]], "In value 2: It returned 1 value, expected 2 values"),
        ({"a": [1.0, 2.0]}, {"a": [1.0, 3.0]}, "In value 2 of value 'a': The number differs by 1."),
        ("a", "b", "It returned 'a', expected 'b'."),
        (True, False, "It returned True, expected False."),
        ({1}, {2}, "It returned another set."),
        (1, None, "a number, expected None"),
    ],
)
def test_a_difference_is_named(got, expected, part):
    assert part in difference(got, expected)


@pytest.mark.parametrize(
    "dtype, relative",
    [(torch.float64, 1e-6), (torch.float32, 1e-3), (torch.float16, 0.1), (torch.bfloat16, 0.2)],
)
def test_the_tolerance_follows_the_dtype(dtype: torch.dtype, relative: float):
    expected = torch.full((5,), 8.0, dtype=dtype)
    assert difference(expected * (1 + relative), expected) is not None
    assert difference(expected * (1 + torch.finfo(dtype).eps), expected) is None


@pytest.mark.parametrize(
    "before",
    [VECTOR, torch.tensor([nan]), np.array([1.0]), [VECTOR, {1}], {"a": VECTOR}, {(0, 1)}, "text"],
)
def test_an_equal_input_counts_as_unchanged(before):
    assert unchanged(before, before)


@pytest.mark.parametrize(
    "before, after",
    [
        (VECTOR, VECTOR + 1e-6),
        (VECTOR, VECTOR[:2]),
        (VECTOR, VECTOR.double()),
        (VECTOR, VECTOR.clone().requires_grad_()),
        (np.array([1.0]), np.array([2.0])),
        ([{1}], [{1, 2}]),
        ([1], [1, 2]),
        ({"a": VECTOR}, {"a": VECTOR + 1}),
        ({"a": VECTOR}, {}),
        ({(0, 1)}, set()),
    ],
)
def test_a_changed_input_is_seen(before, after):
    assert not unchanged(before, after)
