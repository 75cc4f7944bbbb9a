"""Cases of causal attention along columns."""

from math import exp

import torch

from bottomup.exercises.engine import case, tensor
from bottomup.exercises.sparse_transformers import cost
from bottomup.i18n import _

COST = _("512 positions in rows of 64: how much is computed")


CASES = (
    case(
        _("six positions in rows of two, queries zero: means of the values so far"),
        q=tensor([[[0.0]] * 6]),
        k=tensor([[[0.0]] * 6]),
        v=tensor([[[10.0], [20.0], [30.0], [40.0], [50.0], [60.0]]]),
        stride=2,
        gives=tensor([[[10.0], [20.0], [20.0], [30.0], [30.0], [40.0]]]),
    ),
    case(
        _("four positions in rows of two, d = 4"),
        q=tensor([[[1.0] * 4] * 4]),
        k=tensor([[[1.0] * 4, [2.0] * 4, [3.0] * 4, [4.0] * 4]]),
        v=tensor([[[0.0], [8.0], [8.0], [0.0]]]),
        stride=2,
        # scores 4 k / 2: the two of a column differ by 4
        gives=tensor([[[0.0], [8.0], [8 / (1 + exp(-4))], [8 / (1 + exp(4))]]]),
    ),
    cost.drawn(_("five rows of three"), seed=1, heads=2, n=15, stride=3, d=7, d_value=2),
    cost.drawn(_("as many rows as columns"), seed=2, heads=2, n=25, stride=5, d=3, d_value=7),
    cost.drawn(_("as many heads as columns"), seed=3, heads=3, n=21, stride=3, d=2, d_value=2),
    cost.drawn(_("one column"), seed=4, heads=2, n=7, stride=1, d=5, d_value=3),
    cost.drawn(_("one row"), seed=5, heads=2, n=7, stride=7, d=5, d_value=3),
    cost.drawn(_("float64"), seed=6, heads=3, n=10, stride=2, d=11, d_value=7, dtype=torch.float64),
    cost.drawn(COST, seed=7, heads=1, n=512, stride=64, d=2, d_value=1),
    cost.with_gradients(stride=2),
    cost.low_beside_hidden(stride=1),
)


run = cost.counting_on(COST, "column-attention")
compare = cost.compare
