"""Cases of the part of a score that neither of a person's two names brings."""

from functools import partial
from math import nan
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import case, normal, tensor
from bottomup.i18n import _

WITHOUT = {"a batch of one": "a profession has at least three people"}


def within(scores: Tensor, numbers: list[int]) -> Tensor:
    """Leave out the scores between two professions."""
    profession = torch.tensor(numbers)
    return scores.masked_fill(profession[:, None] != profession, nan)


def people(*profession: int, level: float = 0.0, apart: bool = False) -> dict[str, Any]:
    """Random scores around a level; with `apart`, none between two professions."""
    numbers = list(profession)
    g = normal(len(numbers), len(numbers), dtype=torch.float64).then(lambda scores: scores + level)
    g = g.then(partial(within, numbers=numbers)) if apart else g
    return {"g": g, "profession": tensor(numbers)}


APART = _("two professions, without scores between them")

CASES = (
    case(
        _("three people of one profession"),
        g=tensor([[6.0, 1.0, 2.0], [0.0, 5.0, 4.0], [3.0, 2.0, 9.0]], dtype=torch.float64),
        profession=tensor([0, 0, 0]),
        # of the first: 6 - (1 + 2) / 2 - (0 + 3) / 2 + (4 + 2) / 2
        gives=tensor([6.0, 4.0, 4.0], dtype=torch.float64),
    ),
    case(
        APART,
        g=tensor(
            [
                [16.0, nan, 31.0, nan, nan, 61.0],
                [nan, 21.0, nan, 42.0, 52.0, nan],
                [13.0, nan, 33.0, nan, nan, 63.0],
                [nan, 24.0, nan, 46.0, 54.0, nan],
                [nan, 25.0, nan, 45.0, 58.0, nan],
                [16.0, nan, 36.0, nan, nan, 62.0],
            ],
            dtype=torch.float64,
        ),
        profession=tensor([7, 3, 7, 3, 3, 7]),
        # a first name brings 1 to 6, a last name 10 to 60, and the diagonal what is left
        gives=tensor([5.0, -1.0, 0.0, 2.0, 3.0, -4.0], dtype=torch.float64),
    ),
    case(_("three and five people, side by side"), seed=1, **people(0, 0, 0, 1, 1, 1, 1, 1)),
    case(_("seven people of one profession"), seed=2, **people(*[4] * 7)),
    case(_("three professions, mixed"), seed=3, **people(2, 0, 5, 5, 0, 2, 5, 0, 2, 5, 5)),
    case(_("as many professions as people in each"), seed=4, **people(0, 1, 2, 2, 1, 0, 1, 0, 2)),
    case(_("mixed, without scores between"), seed=5, **people(0, 1, 1, 0, 1, 0, 1, 1, apart=True)),
    case(_("scores that all lie near 1000"), seed=6, **people(8, 8, 1, 8, 1, 1, level=1000.0)),
)
