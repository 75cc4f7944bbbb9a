"""Cases of scores with linear biases."""

from functools import partial
from math import sqrt
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import Case, case, normal, tensor
from bottomup.exercises.engine.compare import difference
from bottomup.i18n import _


def compare(got: Any, expected: Any, case: Case) -> str | None:
    """Compare as usual, but for float32: slopes that were computed in it are no mistake."""
    alike = isinstance(got, Tensor) and (got.shape, got.dtype, got.device) == (
        expected.shape, expected.dtype, expected.device
    )  # fmt: skip
    close = alike and torch.allclose(got, expected, rtol=1e-5, atol=1e-6)
    return None if close else difference(got, expected)


given = partial(tensor, dtype=torch.float64)
drawn = partial(normal, dtype=torch.float64)

CASES = (
    case(
        _("two heads, one query, three keys"),
        query=given([[[1]], [[1]]]),
        key=given([[[0], [2], [4]], [[0], [2], [4]]]),
        # the slopes are 1/16 and 1/256, the distances 2, 1, 0
        gives=given([[[-2 / 16, 2 - 1 / 16, 4]], [[-2 / 256, 2 - 1 / 256, 4]]]),
    ),
    case(_("two queries, three cached keys"), seed=1, query=drawn(2, 2, 3), key=drawn(2, 5, 3)),
    case(_("four heads, no cache"), seed=2, query=drawn(4, 5, 2), key=drawn(4, 5, 2)),
    case(_("eight heads"), seed=3, query=drawn(8, 2, 4), key=drawn(8, 3, 4)),
    case(_("one head"), seed=4, query=drawn(1, 3, 5), key=drawn(1, 7, 5)),
    case(_("three heads"), seed=6, query=drawn(3, 2, 4), key=drawn(3, 5, 4)),
    case(_("six heads"), seed=7, query=drawn(6, 3, 2), key=drawn(6, 3, 2)),
    case(
        _("two heads, seventy keys, a query of zeros"),
        query=given([[[0]], [[0]]]),
        key=given([[[1]] * 70] * 2),
        # the biases alone: the slopes are 1/16 and 1/256, the distances 69 to 0
        gives=given([[[(j - 69) / slope for j in range(70)]] for slope in (16, 256)]),
    ),
    case(
        _("one head, one key, two large products that cancel"),
        query=given([[[1, 1]]]),
        key=given([[[1e8 + 1, -1e8]]]),
        gives=given([[[1 / sqrt(2)]]]),  # at distance 0 there is no bias
    ),
    case(_("as many heads as positions"), seed=5, query=drawn(4, 4, 4), key=drawn(4, 4, 4)),
)
