"""Graphs of numbers, for the slopes of the last one in all of them."""

import torch

from bottomup.exercises.engine import Drawn, case
from bottomup.i18n import _


def graph(numbers: int, given: int) -> Drawn:
    """Each number behind the given ones has one to three parts, among them the one before it."""

    def parts_of(number: int, generator: torch.Generator) -> list[tuple[int, float]]:
        count = int(torch.randint(1, 4, (1,), generator=generator))
        parts = [number - 1, *torch.randint(number, (count - 1,), generator=generator).tolist()]
        slopes = torch.randint(1, 21, (count,), generator=generator) / 8
        return list(zip(parts, slopes.tolist(), strict=True))

    return Drawn(
        lambda generator: [
            parts_of(number, generator) if number >= given else [] for number in range(numbers)
        ]
    )


CASES = (
    case(
        _("y = a b + a a at a = 2, b = -3"),
        made_of=[[], [], [(0, -3.0), (1, 2.0)], [(0, 2.0), (0, 2.0)], [(2, 1.0), (3, 1.0)]],
        gives=[1.0, 2.0, 1.0, 1.0, 1.0],  # b + 2a and a
    ),
    case(
        _("a chain: times 3, times -2, times 5"),
        made_of=[[], [(0, 3.0)], [(1, -2.0)], [(2, 5.0)]],
        gives=[-30.0, -10.0, 5.0, 1.0],
    ),
    case(_("a number that nothing uses"), made_of=[[], [], [(0, 2.0)]], gives=[2.0, 0.0, 1.0]),
    case(_("one number, which was given"), made_of=[[]], gives=[1.0]),
    case(
        _("a short way and a long way to the same number"),
        made_of=[[], [(0, 2.0)], [(1, 3.0)], [(1, 7.0), (2, 5.0)]],
        gives=[44.0, 22.0, 5.0, 1.0],  # 7 directly and 3 * 5 the long way; then times 2
    ),
    case(
        _("a long way and a short way, the other way round"),
        made_of=[[], [(0, 2.0)], [(1, 3.0)], [(2, 5.0), (1, 7.0)]],
        gives=[44.0, 22.0, 5.0, 1.0],
    ),
    case(
        _("a number made of three others"),
        made_of=[[], [], [], [(0, 2.0), (1, 3.0), (2, 5.0)]],
        gives=[2.0, 3.0, 5.0, 1.0],
    ),
    case(
        _("a given number behind a made one"),
        made_of=[[], [(0, 2.0)], [], [(1, 3.0), (2, 5.0)]],
        gives=[6.0, 3.0, 5.0, 1.0],
    ),
    case(
        _("a made number that nothing uses"),
        made_of=[[], [(0, 2.0)], [(1, 5.0)], [(1, 3.0)]],
        gives=[6.0, 3.0, 0.0, 1.0],  # the last is made of number 1; number 2 gets nothing
    ),
    case(
        _("the last number was given"),
        made_of=[[], [(0, 2.0)], []],
        gives=[0.0, 0.0, 1.0],
    ),
    case(
        _("two paths that cancel, and a slope of zero"),
        made_of=[[], [(0, 7.0)], [(0, 2.0)], [(1, 1.0), (2, 3.0), (2, -3.0), (0, 0.0)]],
        gives=[7.0, 1.0, 0.0, 1.0],  # 3 - 3 = 0 at number 2, and 7 * 1 through number 1
    ),
    case(
        _("doubled five times: x + x"),
        made_of=[[], *([(part, 1.0), (part, 1.0)] for part in range(5))],
        gives=[32.0, 16.0, 8.0, 4.0, 2.0, 1.0],
    ),
    case(_("seven numbers, two of them given"), seed=1, made_of=graph(7, given=2)),
    case(_("eleven numbers, three of them given"), seed=2, made_of=graph(11, given=3)),
    case(_("thirteen numbers, one of them given"), seed=3, made_of=graph(13, given=1)),
)
