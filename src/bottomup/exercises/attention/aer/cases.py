"""Cases of the alignment error rate of Och and Ney (2003)."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.engine import Case, Inputs, case
from bottomup.exercises.engine.scalars import compare_scalar
from bottomup.i18n import _


def random(*sizes: tuple[int, int]) -> Callable[[torch.Generator], Inputs]:
    """One sentence for each (target length, source length); the possible links contain the sure."""

    def make(generator: torch.Generator) -> Inputs:
        levels = [torch.rand(2, *size, generator=generator) for size in sizes]
        return {
            "links": [pairs(predicted < 0.3) for predicted, _gold in levels],
            "sure": [pairs(gold < 0.2) for _predicted, gold in levels],
            "possible": [pairs(gold < 0.5) for _predicted, gold in levels],
        }

    return make


def pairs(grid: Tensor) -> set[tuple[int, int]]:
    return {(target, source) for target, source in grid.nonzero().tolist()}


SURE = {(0, 0), (1, 2)}

CASES = (
    case(
        _("one sentence: two links predicted, one of them right"),
        links=[{(0, 0), (1, 1)}],
        sure=[SURE],
        possible=[SURE | {(2, 1)}],
        gives=1 - (1 + 1) / (2 + 2),
    ),
    case(
        _("a possible link is predicted"),
        links=[SURE | {(2, 1)}],
        sure=[SURE],
        possible=[SURE | {(2, 1)}],
        gives=1 - (2 + 3) / (3 + 2),
    ),
    case(_("a perfect alignment"), links=[SURE], sure=[SURE], possible=[SURE], gives=0.0),
    case(_("no link in common"), links=[{(0, 1)}], sure=[SURE], possible=[SURE], gives=1.0),
    case(
        _("a short sentence and a long one"),
        links=[{(0, 0)}, {(0, 1), (1, 0), (2, 2), (3, 4)}],
        sure=[{(0, 0)}, {(0, 1), (1, 2), (2, 0), (4, 3)}],
        possible=[{(0, 0)}, {(0, 1), (1, 2), (2, 0), (4, 3), (1, 0)}],
        gives=1 - (1 + 1 + 1 + 2) / (1 + 1 + 4 + 4),
    ),
    Case(_("three sentences"), random((3, 5), (7, 11), (2, 13)), seed=1),
    Case(_("five sentences"), random((5, 3), (2, 7), (11, 5), (3, 3), (7, 2)), seed=2),
    case(
        _("a sentence without predicted or sure links among others"),
        links=[{(0, 0), (2, 1)}, set()],
        sure=[SURE, set()],
        possible=[SURE, {(0, 1)}],
    ),
    case(
        _("a sentence for which nothing is predicted"),
        links=[{(0, 0)}, set()],
        sure=[SURE, {(0, 0)}],
        possible=[SURE, {(0, 0)}],
    ),
    case(
        _("a sentence without sure links"),
        links=[{(0, 0)}, {(1, 0)}],
        sure=[SURE, set()],
        possible=[SURE, {(0, 0)}],
    ),
    case(
        _("no sure links at all"),
        links=[set(), {(0, 0), (1, 1)}, {(0, 1)}, {(0, 1)}],
        sure=[set(), set(), set(), set()],
        possible=[{(0, 0)}, {(0, 0)}, set(), set()],
        gives=1 - (0 + 1) / (4 + 0),  # one of four predicted links is possible
    ),
    case(_("nothing predicted at all"), links=[set()], sure=[SURE], possible=[SURE]),
)

compare = compare_scalar
