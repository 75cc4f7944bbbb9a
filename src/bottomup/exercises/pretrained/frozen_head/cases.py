"""Cases of a head that reads with the mean of its weights over other texts."""

from math import log
from typing import Any

import torch

from bottomup.exercises.engine import Drawn, case, normal, tensor
from bottomup.i18n import _


def layer(
    texts: int, heads: int, positions: int, d_head: int, *, size: float = 1.0
) -> dict[str, Any]:
    """The heads of a layer in one text, and their weights in others; `size` makes them sharp."""

    def draw(*shape: int, scale: float = 1.0) -> Drawn:
        return normal(*shape, scale=scale, dtype=torch.float64)

    return {
        "query": draw(heads, positions, d_head, scale=size),
        "key": draw(heads, positions, d_head, scale=size),
        "value": draw(heads, positions, d_head),
        "reference": draw(texts, heads, positions, positions, scale=2 * size).then(
            lambda scores: scores.softmax(dim=-1)
        ),
    }


CASES = (
    case(
        _("two heads of width one, two words"),
        query=tensor([[[1.0], [2.0]], [[0.0], [0.0]]], dtype=torch.float64),
        key=tensor([[[1.0], [3.0]], [[1.0], [2.0]]], dtype=torch.float64),
        value=tensor([[[10.0], [20.0]], [[1.0], [3.0]]], dtype=torch.float64),
        reference=tensor(
            [
                [[[1.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]]],
                [[[0.5, 0.5], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]],
            ],
            dtype=torch.float64,
        ),
        head=0,
        # head 0 reads with 3/4 1/4 and 1/2 1/2, head 1 with 1/2 1/2, as its queries are zero
        gives=tensor([[12.5, 2.0], [15.0, 2.0]], dtype=torch.float64),
    ),
    case(
        _("two heads of width four, the second one frozen"),
        query=tensor([[[2 * log(3), 0, 0, 0]] * 2] * 2, dtype=torch.float64),
        key=tensor([[[1.0, 0, 0, 0], [0, 1.0, 0, 0]]] * 2, dtype=torch.float64),
        value=tensor(
            [[[4, 8, 0, 0], [0, 0, 4, 8]], [[1, 2, 3, 4], [5, 6, 7, 8]]], dtype=torch.float64
        ),
        reference=tensor([[[[1.0, 0], [1, 0]], [[1, 0], [0, 1]]]], dtype=torch.float64),
        head=1,
        # scores are 2 log 3 / 2 and 0: head 0 reads with 3/4 and 1/4; head 1 copies each word
        gives=tensor([[3, 6, 1, 2, 1, 2, 3, 4], [3, 6, 1, 2, 5, 6, 7, 8]], dtype=torch.float64),
    ),
    case(_("three heads, seven texts"), seed=1, **layer(7, 3, 5, 2), head=1),
    case(_("the last of five heads"), seed=2, **layer(2, 5, 3, 7), head=4),
    case(_("the first head"), seed=3, **layer(3, 2, 7, 5), head=0),
    case(_("as many texts as heads"), seed=4, **layer(3, 3, 5, 7), head=2),
    case(_("as many of everything"), seed=5, **layer(3, 3, 3, 3), head=1),
    case(_("one reference text"), seed=6, **layer(1, 2, 5, 3), head=1),
    case(_("one word"), seed=7, **layer(3, 5, 1, 2), head=2),
    case(_("sharp weights"), seed=8, **layer(5, 3, 7, 2, size=20.0), head=1),
)
