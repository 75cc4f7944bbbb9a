"""Cases of the way from one width to several heads and back."""

import torch

from bottomup.exercises.engine import case, normal, tensor
from bottomup.exercises.engine.named_tensors import compare_named
from bottomup.i18n import _

# the first two count in the order of memory, so that one can see where each number has gone
CASES = (
    case(
        _("one sequence, two positions, two heads of width two"),
        x=tensor([[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]]]),
        heads=tensor([[[[0.0, 1.0], [2.0, 3.0]], [[4.0, 5.0], [6.0, 7.0]]]]),
        num_heads=2,
        gives=(
            tensor([[[[0.0, 1.0], [4.0, 5.0]], [[2.0, 3.0], [6.0, 7.0]]]]),
            tensor([[[0.0, 1.0, 4.0, 5.0], [2.0, 3.0, 6.0, 7.0]]]),
        ),
    ),
    case(
        _("three heads of width one"),
        x=tensor([[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]]),
        heads=tensor([[[[0.0], [1.0]], [[2.0], [3.0]], [[4.0], [5.0]]]]),
        num_heads=3,
    ),
    case(_("a batch"), seed=1, x=normal(2, 5, 3 * 7), heads=normal(2, 3, 11, 2), num_heads=3),
    case(
        _("as many positions as heads"),
        seed=2,
        x=normal(2, 3, 3 * 2),
        heads=normal(2, 3, 3, 5),
        num_heads=3,
    ),
    case(
        _("as many positions as numbers in a head"),
        seed=3,
        x=normal(3, 5, 2 * 5),
        heads=normal(3, 2, 7, 7),
        num_heads=2,
    ),
    case(
        _("as many heads as sequences"),
        seed=4,
        x=normal(3, 6, 3 * 2),
        heads=normal(3, 3, 6, 2),
        num_heads=3,
    ),
    case(_("one head"), seed=5, x=normal(2, 3, 5), heads=normal(2, 1, 7, 2), num_heads=1),
    case(_("one position"), seed=6, x=normal(2, 1, 3 * 5), heads=normal(2, 3, 1, 7), num_heads=3),
    case(
        _("float64"),
        seed=7,
        x=normal(3, 7, 2 * 5, dtype=torch.float64),
        heads=normal(3, 2, 3, 11, dtype=torch.float64),
        num_heads=2,
    ),
)

compare = compare_named("split", "merged")
