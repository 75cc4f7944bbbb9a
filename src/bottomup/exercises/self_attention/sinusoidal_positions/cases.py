"""Cases of the sinusoidal positions of Vaswani et al. (2017, section 3.5)."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Case, case, tensor
from bottomup.exercises.engine.compare import difference
from bottomup.i18n import _

ORDERS: tuple[Callable[[Tensor], Tensor], ...] = (
    lambda table: table,
    lambda table: table.unflatten(-1, (-1, 2)).flip(-1).flatten(-2),  # cosine before sine
    lambda table: table.unflatten(-1, (2, -1)).mT.flatten(-2),  # all sines before all cosines
    lambda table: table.unflatten(-1, (2, -1)).flip(-2).mT.flatten(-2),  # all cosines first
)


ROUNDING = 2e-7  # of an angle in float32, for each radian


def compare(got: Any, expected: Tensor, case: Case) -> str | None:
    """Compare two tables; how sines and cosines are ordered is a convention, not a mistake."""
    if not isinstance(got, Tensor) or got.shape != expected.shape:
        return difference(got, expected)
    sentences = [difference(but_for_rounding(order(got), expected), expected) for order in ORDERS]
    return None if None in sentences else sentences[0]


def but_for_rounding(got: Tensor, expected: Tensor) -> Tensor:
    """Put the expected numbers where the angle, up to pos radians, was rounded in another way."""
    if (got.dtype, got.device) != (expected.dtype, expected.device):
        return got
    radians = torch.arange(len(expected))[:, None]
    return torch.where((got - expected).abs() <= ROUNDING * radians, expected, got)


CASES = (
    case(
        _("three positions, width four"),
        length=3,
        d_model=4,
        gives=tensor(
            [  # sin and cos of 0, 1 and 2, and of 0, 0.01 and 0.02
                [0.0, 1.0, 0.0, 1.0],
                [0.84147098, 0.54030231, 0.00999983, 0.99995000],
                [0.90929743, -0.41614684, 0.01999867, 0.99980001],
            ]
        ),
    ),
    case(_("one frequency"), length=5, d_model=2),
    case(_("one position"), length=1, d_model=6),
    case(_("as many positions as columns"), length=6, d_model=6),
    case(_("more positions than columns"), length=31, d_model=6),
    case(_("more columns than positions"), length=5, d_model=22),
    case(_("a wide model"), length=3, d_model=128),
    case(_("six hundred positions"), length=600, d_model=2),
)
