"""Cases of attention whose heads share keys and values."""

from functools import partial

import torch

from bottomup.exercises.engine import Case, case, normal, tensor
from bottomup.i18n import _

given = partial(tensor, dtype=torch.float64)
drawn = partial(normal, dtype=torch.float64)

FAR = torch.finfo(torch.float64).max


def shared(
    name: str, *, seed: int, heads: int, groups: int, n: int, d_key: int, d_value: int
) -> Case:
    return case(
        name,
        seed=seed,
        query=drawn(heads, n, d_key),
        key=drawn(groups, n, d_key),
        value=drawn(groups, n, d_value),
    )


CASES = (
    case(
        _("six heads in three groups, two positions, equal scores"),
        query=given([[[0], [0]]] * 6),
        key=given([[[1], [1]]] * 3),
        value=given([[[0], [2]], [[10], [30]], [[100], [500]]]),
        # each position reads the mean of what it may read
        gives=given([[[0], [1]]] * 2 + [[[10], [20]]] * 2 + [[[100], [300]]] * 2),
    ),
    shared(_("six heads in two groups"), seed=1, heads=6, groups=2, n=5, d_key=3, d_value=7),
    shared(_("eight heads in four groups"), seed=2, heads=8, groups=4, n=3, d_key=5, d_value=2),
    shared(_("twelve heads in three groups"), seed=3, heads=12, groups=3, n=7, d_key=2, d_value=5),
    shared(_("one group for all heads"), seed=4, heads=5, groups=1, n=3, d_key=7, d_value=2),
    shared(_("a group for each head"), seed=5, heads=3, groups=3, n=5, d_key=2, d_value=7),
    shared(_("one position"), seed=6, heads=6, groups=3, n=1, d_key=5, d_value=2),
    shared(_("seventy positions"), seed=7, heads=2, groups=1, n=70, d_key=2, d_value=3),
    case(
        _("the lowest scores of float64, hidden ones above those that count"),
        query=given([[[-FAR], [FAR]]] * 3 + [[[FAR], [-FAR]]] * 3),
        key=given([[[1], [-1]]] * 3),
        value=given([[[5], [7]], [[50], [70]], [[500], [700]]]),
        # position 0 reads itself alone, at -FAR or FAR; position 1 reads the larger score
        gives=given(
            [[[5], [5]], [[5], [5]], [[50], [50]], [[50], [70]], [[500], [700]], [[500], [700]]]
        ),
    ),
)
