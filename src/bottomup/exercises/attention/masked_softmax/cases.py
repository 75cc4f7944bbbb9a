"""Cases of the softmax over the source positions that a mask allows."""

from math import e, log

import torch
from torch import Tensor

from bottomup.exercises.engine import Drawn, booleans, case, normal, tensor
from bottomup.i18n import _
from bottomup.masks import padding_mask


def allowing_the_first(mask: Tensor) -> Tensor:
    mask[..., 0] = True
    return mask


def with_an_empty_row(mask: Tensor) -> Tensor:
    mask[1, 2] = False
    return mask


def some(*shape: int) -> Drawn:
    """A mask that leaves every row something."""
    return booleans(*shape, true=0.6).then(allowing_the_first)


LAST_MASKED = tensor([[True, True, False]])
LOWEST = torch.finfo(torch.float32).min

CASES = (
    case(
        _("two queries, the last of three source positions is padding"),
        scores=tensor([[0.0, log(3), 5.0], [log(3), 0.0, 1.0]]),
        mask=LAST_MASKED,
        gives=tensor([[0.25, 0.75, 0.0], [0.75, 0.25, 0.0]]),  # e^0 : e^ln 3 = 1 : 3
    ),
    case(
        _("nothing masked"),
        scores=tensor([[0.0, 1.0, 2.0], [2.0, -1.0, 0.0]]),
        mask=tensor([[True, True, True]]),
    ),
    case(
        _("a padded batch"),
        seed=1,
        scores=normal(3, 5, 7, scale=2.0),
        mask=tensor([7, 4, 2]).then(padding_mask),
    ),
    case(_("a mask for each pair"), seed=2, scores=normal(2, 3, 5, scale=2.0), mask=some(2, 3, 5)),
    case(
        _("two sentences in float64"),
        seed=3,
        scores=normal(2, 5, 3, scale=2.0, dtype=torch.float64),
        mask=some(2, 1, 3),
    ),
    case(
        _("two leading axes"), seed=4, scores=normal(2, 3, 5, 7, scale=2.0), mask=some(2, 1, 1, 7)
    ),
    case(
        _("one mask for the queries of both sentences"),
        seed=6,
        scores=normal(2, 3, 5, scale=2.0),
        mask=some(3, 5),
    ),
    case(
        _("a query that may read everything, and one that may read nothing"),
        scores=tensor([[0.0, log(3)], [0.0, log(3)]]),
        mask=tensor([[True], [False]]),
        gives=tensor([[0.25, 0.75], [0.0, 0.0]]),
    ),
    case(
        _("a row with nothing allowed"),
        scores=tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0], [0.0, 0.0, 3.0]]),
        mask=tensor([[True, False, True], [False, False, False], [True, True, False]]),
        gives=tensor([[1 / (1 + e**2), 0.0, e**2 / (1 + e**2)], [0.0, 0.0, 0.0], [0.5, 0.5, 0.0]]),
    ),
    case(
        _("a batch with an empty row"),
        seed=5,
        scores=normal(2, 3, 5, scale=2.0),
        mask=some(2, 3, 5).then(with_an_empty_row),
    ),
    case(
        _("large scores"),
        scores=tensor([[300.0, 301.0, 299.0], [-300.0, -301.0, -302.0]]),
        mask=LAST_MASKED,
    ),
    case(
        _("allowed scores far below zero"),
        scores=tensor([[-2e6, -2e6 + 1, 0.0], [-2e6 + 2, -2e6, 1.0]]),
        mask=LAST_MASKED,
    ),
    case(
        _("allowed scores below -1e9"),
        scores=tensor([[-2e9, -2e9 - 1024, 0.0], [LOWEST, LOWEST, 3e38]]),
        mask=LAST_MASKED,
        gives=tensor([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]]),  # e^-1024 is zero
    ),
    case(
        _("float64, allowed scores below all of float32"),
        scores=tensor([[-1e300, -1e300, 0.0]], dtype=torch.float64),
        mask=LAST_MASKED,
        gives=tensor([[0.5, 0.5, 0.0]], dtype=torch.float64),
    ),
    case(
        _("a masked score far above the others"),
        scores=tensor([[0.0, 1.0, 300.0], [1.0, 0.0, 200.0]]),
        mask=LAST_MASKED,
    ),
    case(
        _("a row with nothing allowed, and its gradient"),
        scores=tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]).with_gradient(),
        mask=tensor([[True, True, False], [False, False, False]]),
    ),
)
