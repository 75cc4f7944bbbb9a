"""Mistakes in the sinusoidal positions."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

SECTION = _("Order")


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

MISCONCEPTIONS = (
    Misconception(
        "exponent-for-each-column",
        _column_by_column(lambda d: (torch.arange(0, d, 2), torch.arange(1, d, 2))),
        _(
            "Sine and cosine of a pair have different frequencies: the exponent counts columns, "
            "where it should count pairs. A step of k positions is then no rotation of the pair, "
            "and no fixed matrix takes the row of pos to that of pos + k. Both columns of pair i "
            "have the exponent -2i / d_model."
        ),
        SECTION,
        (
            _column_by_column(lambda d: (torch.arange(d // 2), torch.arange(d // 2, d))),
            _column_by_column(lambda d: (torch.arange(1, d, 2), torch.arange(0, d, 2))),
        ),
    ),
    Misconception(
        "twice-the-column",
        _column_by_column(lambda d: (torch.arange(0, d, 2), torch.arange(1, d, 2)), times=2),
        _(
            "The number of the column stands where the number of the pair should: column c has the "
            "exponent 2c / d_model. A loop over `range(0, d_model, 2)` counts 2i already. The 2 is "
            "then in twice, and sine and cosine of a pair turn at different rates."
        ),
        SECTION,
    ),
    Misconception(
        "exponent-halved",
        _with_exponents(lambda i, d_model: i / d_model),
        _(
            "The exponent is i / d_model, half of what it should be. The wavelengths then end near "
            "100 times 2 pi, not near 10000 times 2 pi: the slowest pair already comes round "
            "within some 600 positions. With i counting pairs, the exponent is 2i / d_model."
        ),
        SECTION,
    ),
    Misconception(
        "exponent-doubled",
        _with_exponents(lambda i, d_model: 4 * i / d_model),
        _(
            "The factor 2 is in the exponent twice. If `arange(0, d_model, 2)` counts, its numbers "
            "are 2i already. The frequencies fall to the square of what they should, and half of "
            "the columns hardly change over any sentence."
        ),
        SECTION,
    ),
    Misconception(
        "another-base",
        _with_base(1e3),
        _(
            "Another number than 10000 is raised to the power -2i / d_model. The slowest pair then "
            "turns at another rate, and rows of the two tables do not match. Where `exp` takes the "
            "place of the power, the factor log(10000) belongs into it: without it the base is e."
        ),
        SECTION,
        (_with_base(1e5), _with_base(1e6), _with_base(10), _with_base(1024), _with_base(math.e)),
    ),
    Misconception(
        "integer-division",
        _with_exponents(lambda i, d_model: -(-2 * i // d_model)),
        _(
            "The exponent is rounded down to a whole number: that is what `//` does. All pairs, or "
            "all but the first, then have the same frequency, and most columns repeat one another. "
            "Divide with `/`."
        ),
        SECTION,
        (
            _with_exponents(lambda i, d_model: 2 * i // d_model),
            _with_exponents(lambda i, d_model: -(-i // d_model)),
            _with_angles(lambda pos, i, length, d_model: pos * (i == 0)),  # integers: 10000^-1 is 0
        ),
    ),
    Misconception(
        "exponent-ends-at-one",
        _with_exponents(lambda i, d_model: i / max(d_model // 2 - 1, 1)),
        _(
            "The exponents run from 0 to 1 with both ends included. That is another spacing, "
            "common in released code, and it works as well; the formula asked for here divides "
            "2i by d_model and stops short of 1. Keep to one of them: rows of the two do not "
            "match."
        ),
        SECTION,
    ),
    Misconception(
        "first-frequency-missing",
        _with_exponents(lambda i, d_model: 2 * (i + 1) / d_model),
        _(
            "The count of frequencies starts at i = 1. The fastest one, w_0 = 1, is missing: it "
            "tells neighbours apart best. Start at 0, so that the first pair is sin(pos) and "
            "cos(pos)."
        ),
        SECTION,
    ),
    Misconception(
        "power-inverted",
        _with_exponents(lambda i, d_model: -2 * i / d_model),
        _(
            "The angle is multiplied by 10000 to the power 2i / d_model, where it should be "
            "divided by it. The frequencies then grow up to thousands of radians a step: whole "
            "turns pass unseen between neighbours, and the column looks like noise."
        ),
        SECTION,
        tuple(map(_inverted_in_float32, INVERSE_POWERS)),
    ),
    Misconception(
        "positions-from-one",
        _with_angles(lambda pos, i, length, d_model: (pos + 1) * 1e4 ** (-2 * i / d_model)),
        _(
            "The positions start at 1. The first row should be that of position 0, with every sine "
            "0 and every cosine 1. A model would not mind, as long as training and use agree; "
            "rows computed elsewhere are off by one."
        ),
        SECTION,
    ),
    Misconception(
        "positions-as-fractions",
        _with_angles(lambda pos, i, length, d_model: pos / length * 1e4 ** (-2 * i / d_model)),
        _(
            "The positions are divided by the length. The same position then has another row in a "
            "longer sentence, and a step to the next word is another step in every sentence. "
            "Count positions: 0, 1, 2."
        ),
        SECTION,
        (
            _with_angles(
                lambda pos, i, length, d_model: pos / max(length - 1, 1) * 1e4 ** (-2 * i / d_model)
            ),
        ),
    ),
    Misconception(
        "degrees",
        _with_angles(lambda pos, i, length, d_model: (pos * 1e4 ** (-2 * i / d_model)).deg2rad()),
        _(
            "The angles are converted between degrees and radians, so every frequency is 57 times "
            "too small or too large. `sin` and `cos` take radians, and pos * w_i is in radians "
            "already: the first pair makes a turn every 6.28 positions."
        ),
        SECTION,
        (
            _with_angles(
                lambda pos, i, length, d_model: (pos * 1e4 ** (-2 * i / d_model)).rad2deg()
            ),
        ),
    ),
    Misconception(
        "whole-turns",
        _with_angles(
            lambda pos, i, length, d_model: 2 * torch.pi * pos * 1e4 ** (-2 * i / d_model)
        ),
        _(
            "The angles carry a factor 2 pi. The first pair then makes a whole turn with every "
            "step: its sine is 0 and its cosine 1 at every position, and two columns say nothing. "
            "w_i is an angle for each step, not a number of turns."
        ),
        SECTION,
    ),
    Misconception(
        "sines-alone",
        _with_table(lambda angles: _interleave(angles.sin(), angles.sin())),
        _(
            "Each pair holds one function twice: sine or cosine is missing. One of them alone does "
            "not tell an angle from its mirror image, and a step of k positions is no longer a "
            "rotation. Each frequency needs both."
        ),
        SECTION,
        (_with_table(lambda angles: _interleave(angles.cos(), angles.cos())),),
    ),
    Misconception(
        "alternating-by-position",
        _with_table(
            lambda angles: torch.where(
                torch.arange(len(angles))[:, None] % 2 == 0,
                _interleave(angles.sin(), angles.sin()),
                _interleave(angles.cos(), angles.cos()),
            )
        ),
        _(
            "Sine and cosine alternate from position to position: even rows are sines, odd rows "
            "cosines. It is the columns that alternate. Each row needs the sine and the cosine of "
            "each frequency, or neighbours cannot be compared."
        ),
        SECTION,
    ),
)
