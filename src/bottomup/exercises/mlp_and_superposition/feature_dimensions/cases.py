"""Cases of how much of a dimension each feature has."""

from math import cos, inf, pi, sin
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Case, Drawn, case, normal, tensor
from bottomup.exercises.engine.compare import difference
from bottomup.i18n import _

LARGE = 1e4  # no D_i is above 1


def compare(got: Any, expected: Tensor, case: Case) -> str | None:
    """Compare, with every large number taken for infinity, and zero for it where one is expected.

    Without its squares the sum of a pentagon is 0 up to rounding: what a quotient by it comes to
    is noise, another one for another order of the sum. An answer may also set infinities to zero,
    with `nan_to_num`. The solution has none: this matters where an answer is held against another
    wrong one.
    """
    got, expected = without_noise(got), without_noise(expected)
    if isinstance(got, Tensor) and of_one_kind(got, expected):
        got = got.masked_fill((got == 0) & expected.isinf(), inf)
    return difference(got, expected)


def of_one_kind(a: Tensor, b: Tensor) -> bool:
    return (a.shape, a.dtype, a.device) == (b.shape, b.dtype, b.device)


def without_noise(value: Any) -> Any:
    if not (isinstance(value, Tensor) and value.is_floating_point()):
        return value
    return value.masked_fill(value.abs() > LARGE, inf)


def lengthened(W: Tensor) -> Tensor:
    """Columns of lengths that differ several times over."""
    return W * torch.linspace(0.5, 2, W.shape[1], dtype=W.dtype)


def random(dimensions: int, features: int, dtype: torch.dtype | None = None) -> Drawn:
    return normal(dimensions, features, dtype=dtype).then(lengthened)


PENTAGON = [2 * pi * corner / 5 for corner in range(5)]

CASES = (
    case(
        _("a pentagon: five features in two dimensions"),
        W=tensor([[cos(angle) for angle in PENTAGON], [sin(angle) for angle in PENTAGON]]),
        gives=tensor([2 / 5] * 5),
    ),
    case(
        _("an antipodal pair, and a feature at right angles to it"),
        W=tensor([[1.0, -1.0, 0.0], [0.0, 0.0, 2.0]]),
        gives=tensor([1 / 2, 1 / 2, 1]),
    ),
    case(
        _("two features of lengths 2 and 1 in one dimension"),
        W=tensor([[2.0, -1.0]]),
        gives=tensor([4 / (4 + 1), 1 / (1 + 4)]),
    ),
    case(
        _("three features with a dimension each"),
        W=tensor([[3.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.5, 0.0]]),
        gives=tensor([1.0, 1.0, 1.0]),
    ),
    case(_("seven features in three dimensions"), seed=1, W=random(3, 7)),
    case(_("as many features as dimensions"), seed=2, W=random(5, 5)),
    case(_("more dimensions than features"), seed=3, W=random(11, 3)),
    case(
        _("a feature without a direction, listed between two others"),
        W=tensor([[1.0, 0.0, -1.0], [2.0, 0.0, 1.0]]),
        # the others have the squared lengths 5 and 2, and the product 1
        gives=tensor([5 / (5 + 1 / 5), 0.0, 2 / (2 + 1 / 2)]),
    ),
    case(
        _("a weak feature with a dimension of its own"),
        W=tensor([[1.0, 0.0], [0.0, 0.02]]),
        gives=tensor([1.0, 1.0]),
    ),
    case(
        _("a feature a million times weaker, with a dimension of its own"),
        W=tensor([[1.0, 0.0], [0.0, 5e-7], [0.0, 5e-7]]),
        gives=tensor([1.0, 1.0]),
    ),
    case(_("one feature"), seed=4, W=random(3, 1)),
    case(_("float64"), seed=5, W=random(2, 5, torch.float64)),
)
