"""Sinusoidal positions in chapter 02: rounding, and how another kind of table is reported."""

import torch

from bottomup.exercises import catalog
from bottomup.exercises.engine.checking import examine

SINUSOIDAL_POSITIONS = catalog()["sinusoidal-positions"]


def test_rounding_in_float32_decides_no_case():
    for case in SINUSOIDAL_POSITIONS.cases:
        length, d_model = case.inputs["length"], case.inputs["d_model"]
        angles = torch.arange(length)[:, None] / 1e4 ** (
            torch.arange(0, d_model, 2).double() / d_model
        )
        slopes_and_values = [(angles.cos(), angles.sin()), (angles.sin(), angles.cos())]
        for slope, value in slopes_and_values:
            off = 1e-6 * angles[:, 1:] * slope[:, 1:].abs()  # a dozen roundings; w_0 = 1 is exact
            assert (off < 0.3 * (1e-6 + 1e-4 * value[:, 1:].abs())).all(), case.name


def test_another_shape_or_kind_is_reported_and_not_reordered():
    table = SINUSOIDAL_POSITIONS.solution
    transposed = examine(SINUSOIDAL_POSITIONS, lambda n, d: table(n, d).T)
    assert "has shape (4, 3), expected (3, 4)" in str(transposed)
    doubled = examine(SINUSOIDAL_POSITIONS, lambda n, d: table(n, d).double())
    assert "has dtype torch.float64, expected torch.float32" in str(doubled)
    nothing = examine(SINUSOIDAL_POSITIONS, lambda n, d: table(n, d).tolist())
    assert "type list" in str(nothing)
