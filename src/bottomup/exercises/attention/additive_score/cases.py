"""Cases of the additive score of Bahdanau, Cho and Bengio (2015, appendix A.1.2)."""

from math import tanh
from typing import Any

import torch

from bottomup.exercises.engine import case, normal, tensor
from bottomup.i18n import _

SMALL: dict[str, Any] = {
    "query": tensor([[[1.0], [-1.0]]]),
    "key": tensor([[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]]),
    "W_a": tensor([[1.0], [2.0]]),
    "U_a": tensor([[1.0, 0.0], [0.0, 1.0]]),
    "v_a": tensor([2.0, -1.0]),
}
SUMS = [  # W_a q + U_a k in the small case, for q = 1 and q = -1
    [(2, 2), (1, 3), (2, 3)],
    [(0, -2), (-1, -1), (0, -1)],
]

CASES = (
    case(
        _("two queries, three keys, width two"),
        **SMALL,
        gives=tensor([[[2 * tanh(a) - tanh(b) for a, b in row] for row in SUMS]]),
    ),
    case(
        _("two queries, two keys, all widths two"),
        query=tensor([[[1.0, 0.0], [0.0, 1.0]]]),
        key=tensor([[[0.0, 0.0], [1.0, 0.0]]]),
        W_a=tensor([[0.0, 1.0], [0.0, 2.0]]),
        U_a=tensor([[1.0, 0.0], [-1.0, 0.0]]),
        v_a=tensor([2.0, 1.0]),
        gives=tensor(  # W_a q: (0, 0), (1, 2); U_a k: (0, 0), (1, -1)
            [[[0.0, 2 * tanh(1) - tanh(1)], [2 * tanh(1) + tanh(2), 2 * tanh(2) + tanh(1)]]]
        ),
    ),
    case(
        _("a batch"),
        seed=1,
        query=normal(2, 3, 7),
        key=normal(2, 5, 11),
        W_a=normal(13, 7),
        U_a=normal(13, 11),
        v_a=normal(13),
    ),
    case(
        _("more queries than keys"),
        seed=2,
        query=normal(2, 7, 11),
        key=normal(2, 3, 5),
        W_a=normal(2, 11),
        U_a=normal(2, 5),
        v_a=normal(2),
    ),
    case(
        _("queries and keys of equal width"),
        seed=3,
        query=normal(2, 3, 7),
        key=normal(2, 5, 7),
        W_a=normal(11, 7),
        U_a=normal(11, 7),
        v_a=normal(11),
    ),
    case(
        _("all widths equal, as many queries as keys"),
        seed=4,
        query=normal(2, 3, 5),
        key=normal(2, 3, 5),
        W_a=normal(5, 5),
        U_a=normal(5, 5),
        v_a=normal(5),
    ),
    case(
        _("one query and one key"),
        seed=5,
        query=normal(3, 1, 2),
        key=normal(3, 1, 5),
        W_a=normal(7, 2),
        U_a=normal(7, 5),
        v_a=normal(7),
    ),
    case(
        _("float64"),
        seed=6,
        query=normal(2, 3, 7, dtype=torch.float64),
        key=normal(2, 5, 2, dtype=torch.float64),
        W_a=normal(3, 7, dtype=torch.float64),
        U_a=normal(3, 2, dtype=torch.float64),
        v_a=normal(3, dtype=torch.float64),
    ),
    case(
        _("long vectors, where tanh saturates"),
        seed=7,
        query=normal(1, 2, 5, scale=100.0),
        key=normal(1, 3, 7, scale=100.0),
        W_a=normal(2, 5),
        U_a=normal(2, 7),
        v_a=normal(2),
    ),
    case(
        _("the gradients of a small case"),
        **{name: value.with_gradient() for name, value in SMALL.items()},
    ),
)
