"""Cases of hard attention, which reads one position (Xu et al., 2015, section 4.1)."""

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.engine import Drawn, case, integers, normal, tensor
from bottomup.i18n import _

STEPS = 64  # weights and u come in such steps: every way of adding weights up gives the same ends


def random(
    batch: int,
    queries: int,
    source: int,
    d_key: int,
    *,
    masked: int = 0,
    dtype: torch.dtype = torch.float32,
) -> dict[str, Drawn]:
    """Weights that are zero at the last positions, and u in the middle between two ends."""

    def shares(falls: Tensor) -> Tensor:
        return F.one_hot(falls, source).sum(-2).to(dtype) / STEPS

    return {
        "weights": integers(batch, queries, STEPS, high=source - masked).then(shares),
        "u": integers(batch, queries, high=STEPS).then(lambda at: (at.to(dtype) + 0.5) / STEPS),
        "states": normal(batch, source, d_key, dtype=dtype),
    }


CASES = (
    case(
        _("two queries, three words"),
        weights=tensor([[[0.25, 0.25, 0.5], [0.125, 0.75, 0.125]]]),
        u=tensor([[0.3, 0.05]]),
        states=tensor([[[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]]),
        gives=tensor([[[2.0, 20.0], [1.0, 10.0]]]),  # 0.25 <= 0.3 < 0.5, and 0.05 < 0.125
    ),
    case(
        _("a masked first word, and u = 0"),
        weights=tensor(
            [[[0.0, 0.25, 0.75], [0.5, 0.0, 0.5], [0.25, 0.25, 0.5], [0.5, 0.25, 0.25]]]
        ),
        u=tensor([[0.0, 0.5, 0.25, 0.5 - 2**-25]]),
        states=tensor([[[1.0], [2.0], [3.0]]]),
        gives=tensor([[[2.0], [3.0], [2.0], [1.0]]]),  # on a border; the last u right below one
    ),
    case(
        _("two sentences, three draws in each"),
        weights=tensor([[[0.5, 0.25, 0.25]] * 3] * 2),
        u=tensor([[0.1, 0.6, 0.9], [0.8, 0.3, 0.7]]),
        states=tensor([[[1.0], [2.0], [3.0]], [[4.0], [5.0], [6.0]]]),
        gives=tensor([[[1.0], [2.0], [3.0]], [[6.0], [4.0], [5.0]]]),
    ),
    case(_("three sentences of seven words"), seed=1, **random(3, 5, 7, 2)),
    case(_("two sentences of five words and padding"), seed=2, **random(2, 11, 7, 3, masked=2)),
    case(_("as many queries as words and sentences"), seed=3, **random(3, 3, 3, 3)),
    case(_("one word"), seed=4, **random(2, 3, 1, 5)),
    case(_("float64"), seed=5, **random(5, 13, 3, 2, dtype=torch.float64)),
)
