"""Cases of the forbidden weight and the smallest sum of each head."""

import torch

from bottomup.exercises.engine import Case, Drawn, booleans, case, tensor
from bottomup.i18n import _


def weights_of(heads: int, queries: int, keys: int) -> Drawn:
    """Weights of which a query has between 0.5 and 1.5 in all."""

    def make(generator: torch.Generator) -> torch.Tensor:
        weights = torch.rand(heads, queries, keys, generator=generator)
        sums = 0.5 + torch.rand(heads, queries, 1, generator=generator)
        return weights / weights.sum(-1, keepdim=True) * sums

    return Drawn(make)


def random(name: str, heads: int, queries: int, keys: int, *, padded: int, seed: int) -> Case:
    return case(
        name,
        seed=seed,
        weights=weights_of(heads, queries, keys),
        may=booleans(queries, keys, true=0.6),
        real=tensor([True] * (queries - padded) + [False] * padded),
    )


TINY = 2.0**-18  # a forbidden weight of four millionths

CASES = (
    case(
        _("one head, two queries"),
        weights=tensor([[[0.75, 0.125, 0.125], [0.5, 0.25, 0.0]]]),
        may=tensor([[True, False, False], [True, True, False]]),
        real=tensor([True, True]),
        gives=tensor([[0.25, 0.75]]),  # of 0.25 and 0; of 1 and 0.75
    ),
    case(
        _("a query at padding"),
        weights=tensor(
            [
                [[0.5, 0.25], [0.25, 0.5], [0.125, 0.0]],
                [[0.75, 0.25], [0.5, 0.25], [0.5, 1.0]],
            ]
        ),
        may=tensor([[True, False], [True, True], [False, False]]),
        real=tensor([True, True, False]),
        gives=tensor([[0.25, 0.75], [0.25, 0.75]]),  # of 0.25 and 0; of 0.75 twice, of 1 and 0.75
    ),
    random(_("three heads"), 3, 5, 7, padded=2, seed=2),
    random(_("as many queries as keys"), 2, 5, 5, padded=0, seed=3),
    random(_("as many heads as queries"), 3, 3, 5, padded=1, seed=4),
    random(_("eleven queries"), 2, 11, 3, padded=5, seed=5),
    case(
        _("padding in front, and a query that may read nothing"),
        weights=tensor(
            [
                [[2.0, 2.0, 2.0], [0.25, 0.0, 0.25], [0.5, 0.5, TINY]],
                [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.5, 0.5, TINY]],
                [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [2.0, 1.0, 1.0]],
            ]
        ),
        may=tensor([[False, False, False], [False, False, False], [True, True, False]]),
        real=tensor([False, True, True]),
        gives=tensor([[0.5, 0.5], [TINY, 0.0], [3.0, 3.0]]),  # of 0.5, TINY; of 0, TINY; of 3, 1
    ),
)
