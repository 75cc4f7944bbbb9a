"""Two exercises of chapter 02: values by hand, conventions that pass, slips that are named."""

import math
from collections.abc import Callable
from itertools import product

import pytest
import torch

from bottomup.blocks import sinusoidal_positions
from bottomup.decoding import softmax_with_temperature
from bottomup.exercises import catalog
from tests.exercises.trials.verdicts import expected_of, named, report_on, wrong_answers

SINUSOIDAL_POSITIONS = catalog()["sinusoidal-positions"]
TEMPERATURE = catalog()["temperature"]


# ---- Sinusoids


def table(
    length: int,
    d_model: int,
    *,
    halves: bool = False,
    cosine_first: bool = False,
    exponent: float = 2.0,
    first: int = 0,
) -> torch.Tensor:
    angles = (torch.arange(length) + first)[:, None] * torch.exp(
        -math.log(10_000) * exponent / d_model * torch.arange(d_model // 2)
    )
    parts = [angles.cos(), angles.sin()] if cosine_first else [angles.sin(), angles.cos()]
    return torch.cat(parts, dim=1) if halves else torch.stack(parts, dim=2).flatten(1)


LAYOUTS = [
    {"halves": halves, "cosine_first": cosine_first}
    for halves, cosine_first in product((False, True), repeat=2)
]


def test_sinusoids_of_three_positions():
    expected = [
        [0.0, 1.0, 0.0, 1.0],
        [0.84147098, 0.54030231, 0.00999983, 0.99995000],
        [0.90929743, -0.41614684, 0.01999867, 0.99980001],
    ]
    torch.testing.assert_close(expected_of(SINUSOIDAL_POSITIONS, 0), torch.tensor(expected))


def test_the_library_s_own_functions_pass():
    assert report_on(SINUSOIDAL_POSITIONS, sinusoidal_positions).passed
    assert report_on(TEMPERATURE, softmax_with_temperature).passed


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_order_of_sines_and_cosines_passes(layout):
    assert report_on(SINUSOIDAL_POSITIONS, lambda n, d: table(n, d, **layout)).passed


@pytest.mark.parametrize("layout", LAYOUTS)
@wrong_answers(
    {
        "exponent-halved": {"exponent": 1.0},
        "exponent-doubled": {"exponent": 4.0},
        "positions-from-one": {"first": 1},
    }
)
def test_a_slip_is_named_in_every_order(layout, wrong, mistake: str):
    assert named(SINUSOIDAL_POSITIONS, lambda n, d: table(n, d, **layout, **wrong)) == mistake


def test_columns_in_no_known_order_do_not_pass():
    report = report_on(SINUSOIDAL_POSITIONS, lambda n, d: table(n, d).roll(1, dims=1))
    assert not report.passed
    assert report.misconception is None


def test_an_exponent_for_each_column_is_named_as_a_reader_would_write_it():
    def wrong(length, d_model):
        encoding = torch.zeros(length, d_model)
        for pos in range(length):
            for column in range(d_model):
                angle = pos / 10_000 ** (column / d_model)
                function = math.sin if column % 2 == 0 else math.cos
                encoding[pos, column] = function(angle)
        return encoding

    assert named(SINUSOIDAL_POSITIONS, wrong) == "exponent-for-each-column"


def test_a_factor_two_on_columns_that_are_counted_in_twos_is_named():
    def wrong(length, d_model):
        encoding = torch.zeros(length, d_model)
        positions = torch.arange(length).float()
        for i in range(0, d_model, 2):
            encoding[:, i] = torch.sin(positions / 10_000 ** (2 * i / d_model))
            encoding[:, i + 1] = torch.cos(positions / 10_000 ** (2 * (i + 1) / d_model))
        return encoding

    assert named(SINUSOIDAL_POSITIONS, wrong) == "twice-the-column"


@pytest.mark.parametrize(
    "power",
    [
        lambda i, d: 10_000 ** (2 * i / d),
        lambda i, d: torch.pow(10_000, 2 * i / d),
        lambda i, d: torch.exp(2 * i * math.log(10_000) / d),
        lambda i, d: torch.exp(2 * i * (math.log(10_000) / d)),
        lambda i, d: torch.tensor([10_000 ** (2 * each / d) for each in i.tolist()]),
    ],
)
def test_an_inverted_power_is_named_however_it_was_rounded(power):
    def wrong(length, d_model):
        angles = torch.arange(length)[:, None] * power(torch.arange(d_model // 2), d_model)
        return torch.cat([angles.sin(), angles.cos()], dim=1)

    assert named(SINUSOIDAL_POSITIONS, wrong) == "power-inverted"


def with_frequencies(frequencies: Callable) -> Callable:
    def answer(length, d_model):
        angles = torch.arange(length)[:, None] * frequencies(torch.arange(0, d_model, 2), d_model)
        return torch.cat([angles.sin(), angles.cos()], dim=1)

    return answer


@wrong_answers(
    {
        "another-base": [
            lambda i, d: 1000 ** (-i / d),
            lambda i, d: 100_000 ** (-i / d),
            lambda i, d: torch.exp(-i / d),
        ],
        "integer-division": [
            lambda i, d: 10_000.0 ** (-i // d),
            lambda i, d: 10_000.0 ** -(i // d),
            lambda i, d: 10_000 ** (-i // d),
        ],
    }
)
def test_slips_in_the_frequencies_are_named(wrong, mistake: str):
    assert named(SINUSOIDAL_POSITIONS, with_frequencies(wrong)) == mistake


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
    transposed = report_on(SINUSOIDAL_POSITIONS, lambda n, d: table(n, d).T)
    assert "has shape (4, 3), expected (3, 4)" in str(transposed)
    doubled = report_on(SINUSOIDAL_POSITIONS, lambda n, d: table(n, d).double())
    assert "has dtype torch.float64, expected torch.float32" in str(doubled)
    nothing = report_on(SINUSOIDAL_POSITIONS, lambda n, d: table(n, d).tolist())
    assert "type list" in str(nothing)


# ---- Temperature


@pytest.mark.parametrize(
    "case, expected",
    [
        (0, [1 / 3, 2 / 3]),  # the odds 1 : 4 become 1 : 2
        (1, [4 / 5, 1 / 5]),  # 2 : 1 becomes 4 : 1
        (2, [[1 / 4, 1 / 4, 1 / 2], [3 / 4, 1 / 4, 0]]),
        (3, [1 / 4, 0, 3 / 4]),  # 1 : 9 becomes 1 : 3
        (8, [[0, 1, 0], [1, 0, 0]]),
        (9, [1 / 4, 1 / 2, 1 / 4]),
        (10, [[1 / 6, 1 / 3, 1 / 2]]),
    ],
)
def test_probabilities_of_small_cases(case, expected):
    got = expected_of(TEMPERATURE, case)
    torch.testing.assert_close(got, torch.tensor(expected, dtype=got.dtype), rtol=1e-5, atol=1e-7)


def ratio(x: torch.Tensor) -> torch.Tensor:
    return x / x.sum(dim=-1, keepdim=True)


@wrong_answers(
    {
        "multiplied": lambda z, T: torch.softmax(z * T, -1),
        "divided-after-softmax": lambda z, T: torch.softmax(z, -1) / T,
        "softmax-before-temperature": lambda z, T: torch.softmax(torch.softmax(z, -1) / T, -1),
        "temperature-without-effect": lambda z, T: torch.softmax(z + T, -1),
        "root-of-the-temperature": lambda z, T: torch.softmax(z / T**0.5, -1),
        "overflow": lambda z, T: torch.exp(z / T) / torch.exp(z / T).sum(-1, keepdim=True),
        "first-axis": lambda z, T: torch.softmax(z / T, dim=0),
        "sign": lambda z, T: torch.softmax(-z / T, dim=-1),
        "one-sum-for-all-rows": lambda z, T: torch.exp(z / T) / torch.exp(z / T).sum(),
        "one-largest-for-all-rows": [
            lambda z, T: ratio(torch.exp((z - z.max()) / T)),
            lambda z, T: ratio(torch.exp(z / T - (z / T).max())),
        ],
        "added-to-the-temperature": [
            lambda z, T: torch.softmax(z / (T + 1e-3), -1),
            lambda z, T: torch.softmax(z / (T + 1e-8), -1),
        ],
    }
)
def test_typical_slips_of_a_reader_are_named(wrong, mistake: str):
    assert named(TEMPERATURE, wrong) == mistake


@pytest.mark.parametrize("low, high", [(0.01, math.inf), (1e-4, math.inf), (0, 1e3)])
def test_a_temperature_that_is_clamped_does_not_pass(low: float, high: float):
    report = report_on(TEMPERATURE, lambda z, T: torch.softmax(z / min(max(T, low), high), -1))
    assert not report.passed
    assert "12 of 13 cases agree" in report.message


def test_powers_of_probabilities_are_told_where_they_fail():
    report = report_on(TEMPERATURE, lambda z, T: torch.softmax(torch.softmax(z, -1).log() / T, -1))
    assert report.misconception == "powers-of-rounded-probabilities"
    assert report.case == "logits far apart at a high temperature"


def test_powers_of_logarithms_of_probabilities_pass():
    assert report_on(TEMPERATURE, lambda z, T: (z.log_softmax(-1) / T).softmax(-1)).passed


def test_an_answer_without_a_gradient_is_told_so():
    report = report_on(TEMPERATURE, lambda z, T: torch.softmax(z.detach() / T, dim=-1))
    assert not report.passed
    assert "no gradient leads back" in report.message
