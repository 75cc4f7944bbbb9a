"""Cases of layer normalisation by hand."""

from math import sqrt

import torch
from torch import Tensor

from bottomup.exercises.engine import Drawn, case, normal, tensor
from bottomup.i18n import _


def vectors(*shape: int, dtype: torch.dtype | None = None) -> Drawn:
    """Numbers around 1, so that the mean has something to take away."""
    return normal(*shape, scale=2.0, dtype=dtype).then(lambda x: 1 + x)


def a_gain(size: int, dtype: torch.dtype | None = None) -> Drawn:
    return normal(size, scale=0.5, dtype=dtype).then(lambda gain: 1 + gain)


def small(x: Tensor) -> Tensor:
    return x * torch.logspace(-6, -2, 5)[:, None]


FAR = 99_999_992.0

CASES = (
    case(
        _("two positions of four numbers"),
        x=tensor([[[1.0, 3.0, 1.0, 3.0], [0.0, 0.0, 4.0, 4.0]]]),
        gain=tensor([1.0, 2.0, 1.0, 1.0]),
        bias=tensor([0.0, 0.0, 10.0, 0.0]),
        # means 2 and 2, roots of the variances 1 and 2; gain 1 2 1 1, bias 0 0 10 0
        gives=tensor([[[-1.0, 2.0, 9.0, 1.0], [-1.0, -2.0, 11.0, 1.0]]]),
    ),
    case(
        _("two sequences of two positions, two numbers each"),
        x=tensor([[[1.0, 3.0], [4.0, 0.0]], [[5.0, 7.0], [9.0, 1.0]]]),
        gain=tensor([1.0, 3.0]),
        bias=tensor([0.0, 5.0]),
    ),
    case(
        _("a vector of four equal numbers"),
        x=tensor([[[3.0, 3.0, 3.0, 3.0], [1.0, 2.0, 3.0, 6.0]]]),
        gain=tensor([1.0, 1.0, 2.0, 1.0]),
        bias=tensor([1.0, 2.0, 3.0, 4.0]),
        # equal numbers become the bias; 1 2 3 6 have mean 3, variance (4 + 1 + 0 + 9) / 4
        gives=tensor(
            [[[1.0, 2.0, 3.0, 4.0], [1 - 2 / sqrt(3.5), 2 - 1 / sqrt(3.5), 3.0, 4 + 3 / sqrt(3.5)]]]
        ),
    ),
    case(_("a batch"), seed=1, x=vectors(2, 3, 5), gain=a_gain(5), bias=normal(5)),
    case(
        _("as many positions as numbers, in one sequence"),
        seed=2,
        x=vectors(1, 5, 5),
        gain=a_gain(5),
        bias=normal(5),
    ),
    case(
        _("numbers from a millionth to a hundredth"),
        seed=3,
        x=normal(2, 5, 3).then(small),
        gain=a_gain(3),
        bias=normal(3),
    ),
    # the squares need a bit more than float64 has: their mean is the square of the mean
    case(
        _("a large number plus or minus one"),
        x=tensor(
            [[[FAR - 1, FAR + 1, FAR - 1, FAR + 1], [FAR + 1, FAR + 1, FAR - 1, FAR - 1]]],
            dtype=torch.float64,
        ),
        gain=tensor([1.0, 2.0, 1.0, 3.0], dtype=torch.float64),
        bias=tensor([0.0, 0.0, 4.0, 0.0], dtype=torch.float64),
    ),
    case(
        _("one position in each sequence"),
        seed=4,
        x=vectors(3, 1, 7),
        gain=a_gain(7),
        bias=normal(7),
    ),
    case(
        _("one number in each vector"), seed=5, x=vectors(2, 3, 1), gain=a_gain(1), bias=normal(1)
    ),
    case(
        _("float64"),
        seed=6,
        x=vectors(3, 2, 11, dtype=torch.float64),
        gain=a_gain(11, torch.float64),
        bias=normal(11, dtype=torch.float64),
    ),
    case(
        _("gradients for x, gain and bias"),
        seed=7,
        x=vectors(1, 2, 3, dtype=torch.float64).with_gradient(),
        gain=a_gain(3, torch.float64).with_gradient(),
        bias=normal(3, dtype=torch.float64).with_gradient(),
    ),
)
