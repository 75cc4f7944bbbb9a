"""Exercise: the sinusoidal positions of Vaswani et al. (2017, section 3.5)."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.compare import difference
from bottomup.i18n import _


def sinusoidal_positions(length: int, d_model: int) -> torch.Tensor:
    frequencies = 10_000 ** (-torch.arange(0, d_model, 2) / d_model)
    angles = torch.arange(length)[:, None] * frequencies  # [position, d_model / 2]
    encoding = torch.empty(length, d_model)
    encoding[:, 0::2] = angles.sin()
    encoding[:, 1::2] = angles.cos()
    return encoding


def with_halves(length: int, d_model: int) -> Tensor:
    frequencies = 10_000.0 ** -torch.linspace(0, 1, d_model // 2 + 1)[:-1]
    angles = torch.outer(torch.arange(length), frequencies)
    return torch.cat([angles.sin(), angles.cos()], dim=1)


def with_cosines_first(length: int, d_model: int) -> Tensor:
    frequencies = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10_000) / d_model))
    angles = torch.arange(length).unsqueeze(1) * frequencies
    return torch.stack([angles.cos(), angles.sin()], dim=-1).reshape(length, d_model)


def with_phases(length: int, d_model: int) -> Tensor:
    columns = torch.arange(d_model, dtype=torch.float64)
    angles = torch.arange(length)[:, None] / 10_000 ** ((columns - columns % 2) / d_model)
    return torch.sin(angles + columns % 2 * torch.pi / 2).float()


def with_loops(length: int, d_model: int) -> Tensor:
    encoding = torch.zeros(length, d_model)
    for pos in range(length):
        for column in range(0, d_model, 2):
            angle = pos / 10_000 ** (column / d_model)
            encoding[pos, column] = math.sin(angle)
            encoding[pos, column + 1] = math.cos(angle)
    return encoding


# ---- Mistakes


def _interleave(sines: Tensor, cosines: Tensor) -> Tensor:
    return torch.stack([sines, cosines], dim=-1).flatten(-2).float()


def _with_angles(angles_of: Callable[[Tensor, Tensor, int, int], Tensor]) -> Callable[..., Tensor]:
    """A wrong answer with wrong angles, computed from the positions [position, 1] and i."""

    def wrong(length: int, d_model: int) -> Tensor:
        positions = torch.arange(length, dtype=torch.float64)[:, None]
        i = torch.arange(d_model // 2, dtype=torch.float64)
        angles = angles_of(positions, i, length, d_model)
        return _interleave(angles.sin(), angles.cos())

    return wrong


def _with_exponents(exponents: Callable[[Tensor, int], Tensor]) -> Callable[..., Tensor]:
    """A wrong answer whose angles are pos * 10000^(-exponent), the exponents from i and d_model."""
    return _with_angles(lambda pos, i, length, d_model: pos * 1e4 ** -exponents(i, d_model))


def _with_base(base: float) -> Callable[..., Tensor]:
    return _with_angles(lambda pos, i, length, d_model: pos * base ** (-2 * i / d_model))


def _with_table(finish: Callable[[Tensor], Tensor]) -> Callable[..., Tensor]:
    """A wrong answer made of the right angles [position, d_model / 2]."""

    def wrong(length: int, d_model: int) -> Tensor:
        positions = torch.arange(length, dtype=torch.float64)[:, None]
        exponents = torch.arange(0, d_model, 2, dtype=torch.float64) / d_model
        return finish(positions * 1e4**-exponents)

    return wrong


def _column_by_column(
    columns_of: Callable[[int], tuple[Tensor, Tensor]], times: int = 1
) -> Callable[..., Tensor]:
    """A wrong answer in which every column has an exponent of its own, column / d_model."""

    def wrong(length: int, d_model: int) -> Tensor:
        positions = torch.arange(length, dtype=torch.float64)[:, None]
        exponents = times * torch.arange(d_model, dtype=torch.float64) / d_model
        angles = positions * 1e4**-exponents
        for_sines, for_cosines = columns_of(d_model)
        return _interleave(angles[:, for_sines].sin(), angles[:, for_cosines].cos())

    return wrong


def _inverted_in_float32(power: Callable[[Tensor, int], Tensor]) -> Callable[..., Tensor]:
    """Angles of thousands of radians: in float32 each way to compute them gives other values."""

    def wrong(length: int, d_model: int) -> Tensor:
        angles = torch.arange(length)[:, None] * power(torch.arange(0, d_model, 2), d_model)
        return _interleave(angles.sin(), angles.cos())

    return wrong


INVERSE_POWERS: tuple[Callable[[Tensor, int], Tensor], ...] = (
    lambda twice_i, d_model: 10_000 ** (twice_i / d_model),
    lambda twice_i, d_model: torch.exp(twice_i * (math.log(10_000) / d_model)),
    lambda twice_i, d_model: torch.exp(math.log(10_000) * twice_i / d_model),
    lambda twice_i, d_model: torch.exp(twice_i / d_model * math.log(10_000)),
    lambda twice_i, d_model: 1 / 10_000 ** (-twice_i / d_model),
    lambda twice_i, d_model: (10_000 ** (twice_i.double() / d_model)).float(),
)

MISTAKES = (
    Mistake(
        "exponent-for-each-column",
        _column_by_column(lambda d: (torch.arange(0, d, 2), torch.arange(1, d, 2))),
        (
            _column_by_column(lambda d: (torch.arange(d // 2), torch.arange(d // 2, d))),
            _column_by_column(lambda d: (torch.arange(1, d, 2), torch.arange(0, d, 2))),
        ),
    ),
    Mistake(
        "twice-the-column",
        _column_by_column(lambda d: (torch.arange(0, d, 2), torch.arange(1, d, 2)), times=2),
    ),
    Mistake("exponent-halved", _with_exponents(lambda i, d_model: i / d_model)),
    Mistake("exponent-doubled", _with_exponents(lambda i, d_model: 4 * i / d_model)),
    Mistake(
        "another-base",
        _with_base(1e3),
        (_with_base(1e5), _with_base(1e6), _with_base(10), _with_base(1024), _with_base(math.e)),
    ),
    Mistake(
        "integer-division",
        _with_exponents(lambda i, d_model: -(-2 * i // d_model)),
        (
            _with_exponents(lambda i, d_model: 2 * i // d_model),
            _with_exponents(lambda i, d_model: -(-i // d_model)),
            _with_angles(lambda pos, i, length, d_model: pos * (i == 0)),  # integers: 10000^-1 is 0
        ),
    ),
    Mistake(
        "exponent-ends-at-one", _with_exponents(lambda i, d_model: i / max(d_model // 2 - 1, 1))
    ),
    Mistake("first-frequency-missing", _with_exponents(lambda i, d_model: 2 * (i + 1) / d_model)),
    Mistake(
        "power-inverted",
        _with_exponents(lambda i, d_model: -2 * i / d_model),
        tuple(map(_inverted_in_float32, INVERSE_POWERS)),
    ),
    Mistake(
        "positions-from-one",
        _with_angles(lambda pos, i, length, d_model: (pos + 1) * 1e4 ** (-2 * i / d_model)),
    ),
    Mistake(
        "positions-as-fractions",
        _with_angles(lambda pos, i, length, d_model: pos / length * 1e4 ** (-2 * i / d_model)),
        (
            _with_angles(
                lambda pos, i, length, d_model: pos / max(length - 1, 1) * 1e4 ** (-2 * i / d_model)
            ),
        ),
    ),
    Mistake(
        "degrees",
        _with_angles(lambda pos, i, length, d_model: (pos * 1e4 ** (-2 * i / d_model)).deg2rad()),
        (
            _with_angles(
                lambda pos, i, length, d_model: (pos * 1e4 ** (-2 * i / d_model)).rad2deg()
            ),
        ),
    ),
    Mistake(
        "whole-turns",
        _with_angles(
            lambda pos, i, length, d_model: 2 * torch.pi * pos * 1e4 ** (-2 * i / d_model)
        ),
    ),
    Mistake(
        "sines-alone",
        _with_table(lambda angles: _interleave(angles.sin(), angles.sin())),
        (_with_table(lambda angles: _interleave(angles.cos(), angles.cos())),),
    ),
    Mistake(
        "alternating-by-position",
        _with_table(
            lambda angles: torch.where(
                torch.arange(len(angles))[:, None] % 2 == 0,
                _interleave(angles.sin(), angles.sin()),
                _interleave(angles.cos(), angles.cos()),
            )
        ),
    ),
)


# ---- Cases

ORDERS: tuple[Callable[[Tensor], Tensor], ...] = (
    lambda table: table,
    lambda table: table.unflatten(-1, (-1, 2)).flip(-1).flatten(-2),  # cosine before sine
    lambda table: table.unflatten(-1, (2, -1)).mT.flatten(-2),  # all sines before all cosines
    lambda table: table.unflatten(-1, (2, -1)).flip(-2).mT.flatten(-2),  # all cosines first
)


def compare_up_to_order(got: Any, expected: Tensor, case: Case) -> str | None:
    """Compare two tables; how sines and cosines are ordered is a convention, not a mistake."""
    if not isinstance(got, Tensor) or got.shape != expected.shape:
        return difference(got, expected)
    sentences = [difference(order(got), expected) for order in ORDERS]
    return None if None in sentences else sentences[0]


def _sizes(length: int, d_model: int) -> Callable[[torch.Generator], Inputs]:
    return lambda generator: {"length": length, "d_model": d_model}


CASES = (
    Case(_("three positions, width four"), _sizes(3, 4)),
    Case(_("one frequency"), _sizes(5, 2)),
    Case(_("one position"), _sizes(1, 6)),
    Case(_("as many positions as columns"), _sizes(6, 6)),
    Case(_("more positions than columns"), _sizes(31, 6)),
    Case(_("more columns than positions"), _sizes(5, 22)),
    Case(_("a wide model"), _sizes(3, 128)),
)

ANSWERS = Answers(
    solution=sinusoidal_positions,
    alternatives=(with_halves, with_cosines_first, with_phases, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
    compare=compare_up_to_order,
)
