"""Cases of scores by content and by distance (Dai et al., 2019, section 3.3)."""

import torch

from bottomup.exercises.engine import Drawn, case, normal, tensor
from bottomup.i18n import _


def random(
    heads: int, n: int, m: int, d_head: int, dtype: torch.dtype | None = None
) -> dict[str, Drawn]:
    return {
        "query": normal(heads, n, d_head, dtype=dtype),
        "key": normal(heads, m, d_head, dtype=dtype),
        "r": normal(heads, n, m, d_head, dtype=dtype),
        "u": normal(heads, d_head, dtype=dtype),
        "v": normal(heads, d_head, dtype=dtype),
    }


CASES = (
    case(
        _("one head of width four, one query, one key"),
        query=tensor([[[1.0, 0.0, 0.0, 0.0]]]),
        key=tensor([[[2.0, 1.0, 0.0, 0.0]]]),
        r=tensor([[[[4.0, 0.0, 1.0, 0.0]]]]),
        u=tensor([[0.0, 6.0, 0.0, 0.0]]),
        v=tensor([[0.0, 0.0, 8.0, 0.0]]),
        gives=tensor([[[10.0]]]),  # 2 + 4 + 6 + 8, over the root of 4
    ),
    case(_("two heads of different u and v"), seed=1, **random(2, 3, 5, 7)),
    case(_("three heads, five queries, eleven keys"), seed=2, **random(3, 5, 11, 2)),
    case(_("as many queries as keys"), seed=3, **random(2, 5, 5, 3)),
    case(_("heads of width one"), seed=4, **random(5, 2, 3, 1)),
    case(_("float64"), seed=5, **random(3, 2, 7, 5, torch.float64)),
    case(
        _("two heads of width one, one query, two keys"),
        query=tensor([[[1.0]], [[2.0]]]),
        key=tensor([[[2.0], [3.0]], [[1.0], [0.0]]]),
        r=tensor([[[[10.0], [20.0]]], [[[3.0], [5.0]]]]),
        u=tensor([[0.0], [4.0]]),
        v=tensor([[1.0], [0.0]]),
        gives=tensor([[[22.0, 43.0]], [[12.0, 10.0]]]),  # 2 + 10 + 0 + 10, 3 + 20 + 0 + 20, ...
    ),
    case(
        _("a gradient for everything"),
        seed=6,
        **{name: drawn.with_gradient() for name, drawn in random(2, 2, 3, 2).items()},
    ),
)
