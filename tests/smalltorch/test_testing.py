"""`torch.testing.assert_close`, which readers' tests call."""

import pytest
import torch

from tests.smalltorch.both import same

X = torch.linspace(-3, 4, 35, dtype=torch.float64).reshape(5, 7)


@pytest.mark.parametrize(
    "values",
    [
        lambda torch, x: (x, x + 1e-12), lambda torch, x: (x, x + 1), lambda torch, x: (x, x[:2]),
        lambda torch, x: (x, x.float()), lambda torch, x: (x.long(), x.long() + 1),
        lambda torch, x: (x[0, 0], x[0, 1]), lambda torch, x: (1.0, 2.0), lambda torch, x: (1, 1.0),
        lambda torch, x: (1.0, x[0, 0]), lambda torch, x: ([x, x], [x, x + 1]),
        lambda torch, x: ([x], [x, x]),
        lambda torch, x: ({"a": x}, {"a": x * 2}), lambda torch, x: ({"a": x}, {"b": x}),
        lambda torch, x: (None, x), lambda torch, x: (True, False), lambda torch, x: (x / 0, x / 0),
        lambda torch, x: ((x - x) / 0, (x - x) / 0), lambda torch, x: (x > 0, x > 1),
        lambda torch, x: (x, 0 * x),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "options", [{}, {"rtol": 0, "atol": 0}, {"rtol": 1}, {"msg": "own"}, {"equal_nan": True}]
)
def test_assert_close(values, options):
    def lines(torch, x):
        try:
            torch.testing.assert_close(*values(torch, x), **options)
        except (AssertionError, ValueError, TypeError) as error:
            text = str(error).replace("smalltorch.tensor.", "torch.")
            return type(error).__name__, text
        return "close"

    same(lines, X)
