"""Exercise: the sinusoidal positions of Vaswani et al. (2017, section 3.5)."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.compare import difference
from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.self_attention.sinusoidal_positions_mistakes import MISCONCEPTIONS
from bottomup.i18n import _

STUB = '''\
def sinusoidal_positions(length, d_model):
    """Encode the positions 0 to length - 1; float32, [position, d_model].

    d_model is even. For each i from 0 to d_model / 2 - 1, the row of
    position pos holds the sine and the cosine of pos * w_i, where
    w_i = 10000 ** (-2 * i / d_model). Sines and cosines may alternate, or
    all of one kind may come before all of the other.
    """
    ...
'''


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

SINUSOIDAL_POSITIONS = Exercise(
    slug="sinusoidal-positions",
    title=_("Sinusoidal positions"),
    chapter="02",
    difficulty=2,
    minutes=12,
    stub=STUB,
    hints=(
        _(
            "Make the angles first: a table [position, d_model / 2] with pos * w_i in row pos and "
            "column i. Which two vectors give it by broadcasting?"
        ),
        _(
            "`torch.arange(0, d_model, 2)` holds the numbers 2i. The frequencies are 10000 to the "
            "power of its negative over d_model."
        ),
        _(
            "`torch.arange(length)[:, None] * frequencies` is the table of angles. Write its sine "
            "to the columns `0::2` of an empty table and its cosine to the columns `1::2`."
        ),
    ),
    solution=sinusoidal_positions,
    alternatives=(with_halves, with_cosines_first, with_phases, with_loops),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    compare=compare_up_to_order,
)
