"""Cases of causal attention within blocks."""

from math import exp

import torch

from bottomup.exercises.engine import case, tensor
from bottomup.exercises.sparse_transformers import cost
from bottomup.i18n import _

COST = _("512 positions in blocks of 8: how much is computed")


CASES = (
    case(
        _("six positions in blocks of two, queries zero: means of the values so far"),
        q=tensor([[[0.0]] * 6]),
        k=tensor([[[0.0]] * 6]),
        v=tensor([[[10.0], [20.0], [30.0], [40.0], [50.0], [60.0]]]),
        block=2,
        gives=tensor([[[10.0], [15.0], [30.0], [35.0], [50.0], [55.0]]]),
    ),
    case(
        _("four positions in blocks of two, d = 4"),
        q=tensor([[[1.0] * 4] * 4]),
        k=tensor([[[1.0] * 4, [2.0] * 4, [3.0] * 4, [4.0] * 4]]),
        v=tensor([[[0.0], [8.0], [0.0], [8.0]]]),
        block=2,
        # scores 4 k / 2: the two of a block differ by 2
        gives=tensor([[[0.0], [8 / (1 + exp(-2))], [0.0], [8 / (1 + exp(-2))]]]),
    ),
    cost.drawn(_("three blocks of five"), seed=1, heads=2, n=15, block=5, d=7, d_value=3),
    cost.drawn(_("as many blocks as places"), seed=2, heads=2, n=25, block=5, d=3, d_value=7),
    cost.drawn(_("as many heads as blocks"), seed=3, heads=3, n=21, block=7, d=2, d_value=2),
    cost.drawn(_("one block"), seed=4, heads=2, n=7, block=7, d=5, d_value=3),
    cost.drawn(_("blocks of one"), seed=5, heads=2, n=7, block=1, d=5, d_value=3),
    cost.drawn(_("float64"), seed=6, heads=3, n=10, block=5, d=11, d_value=7, dtype=torch.float64),
    cost.drawn(COST, seed=7, heads=1, n=512, block=8, d=2, d_value=1),
    cost.with_gradients(block=3),
    cost.low_beside_hidden(block=2),
)


run = cost.counting_on(COST, "blocked-local")
compare = cost.compare
