"""Cases of the general score of Luong, Pham and Manning (2015, section 3.1, equation 8)."""

from typing import Any

import torch

from bottomup.exercises.engine import case, normal, tensor
from bottomup.i18n import _

SMALL: dict[str, Any] = {
    "query": tensor([[[1.0, 0.0], [1.0, 1.0]]]),
    "key": tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 2.0], [1.0, 1.0, 1.0]]]),
    "W_a": tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
}

CASES = (
    case(
        _("two queries of width two, three keys of width three"),
        **SMALL,
        # W_a k: (1, 4), (2 + 6, 5 + 12), (6, 15); the queries pick the first, and the sum
        gives=tensor([[[1.0, 8.0, 6.0], [5.0, 25.0, 21.0]]]),
    ),
    case(
        _("two queries, two keys, all of width two"),
        query=tensor([[[1.0, 0.0], [0.0, 1.0]]]),
        key=tensor([[[0.0, 1.0], [1.0, 1.0]]]),
        W_a=tensor([[1.0, 2.0], [0.0, 1.0]]),
    ),
    case(
        _("a batch of two, by hand"),
        query=tensor([[[1.0, 0.0], [0.0, 1.0]], [[2.0, 0.0], [0.0, 3.0]]]),
        key=tensor([[[0.0, 1.0], [1.0, 1.0]], [[1.0, 0.0], [0.0, 2.0]]]),
        W_a=tensor([[1.0, 2.0], [0.0, 1.0]]),
        # W_a k: (2, 1), (3, 1); of the other sentence (1, 0), (4, 2)
        gives=tensor([[[2.0, 3.0], [1.0, 1.0]], [[2.0, 8.0], [0.0, 6.0]]]),
    ),
    case(_("a batch"), seed=1, query=normal(2, 3, 7), key=normal(2, 5, 11), W_a=normal(7, 11)),
    case(
        _("wide queries, narrow keys"),
        seed=2,
        query=normal(3, 7, 11),
        key=normal(3, 2, 5),
        W_a=normal(11, 5),
    ),
    case(
        _("queries and keys of equal width"),
        seed=3,
        query=normal(2, 3, 7),
        key=normal(2, 5, 7),
        W_a=normal(7, 7),
    ),
    case(
        _("equal widths, as many queries as keys"),
        seed=4,
        query=normal(2, 3, 5),
        key=normal(2, 3, 5),
        W_a=normal(5, 5),
    ),
    case(
        _("one query and one key"),
        seed=5,
        query=normal(3, 1, 2),
        key=normal(3, 1, 5),
        W_a=normal(2, 5),
    ),
    case(
        _("float64"),
        seed=6,
        query=normal(2, 5, 2, dtype=torch.float64),
        key=normal(2, 3, 7, dtype=torch.float64),
        W_a=normal(2, 7, dtype=torch.float64),
    ),
    case(
        _("one sentence, as many keys as the widths"),
        seed=7,
        query=normal(1, 2, 3),
        key=normal(1, 3, 3),
        W_a=normal(3, 3),
    ),
    case(
        _("the gradients of a small case"),
        **{name: value.with_gradient() for name, value in SMALL.items()},
    ),
)
