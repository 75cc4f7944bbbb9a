"""Cases of the mutual information of a table of counts."""

from math import log

import torch

from bottomup.exercises.engine import Case, Inputs, case, tensor
from bottomup.exercises.representation_analysis.named_numbers import compare_number
from bottomup.i18n import _

compare = compare_number


def counted(name: str, *shape: int, seed: int, most: int = 20, seen: float = 1.0) -> Case:
    """A table of counts below `most`, of which the share `seen` is kept; rows of other sizes."""

    def make(generator: torch.Generator) -> Inputs:
        counts = torch.randint(1, most, shape, generator=generator)
        kept = torch.rand(shape, generator=generator) < seen
        return {"table": counts * kept * torch.arange(1, shape[0] + 1)[:, None]}

    return Case(name, make, seed)


CASES = (
    case(
        _("two labels, three of four in a cluster of their own"),
        table=tensor([[3, 1], [1, 3]]),
        gives=3 / 4 * log(3 / 2) + 1 / 4 * log(1 / 2),
    ),
    case(_("each label in the other one's cluster"), table=tensor([[0, 5], [5, 0]]), gives=log(2)),
    case(_("clusters that say nothing"), table=tensor([[2, 4], [3, 6]]), gives=0.0),
    case(
        _("one label in two clusters"),
        table=tensor([[2, 1, 0, 0], [0, 0, 4, 0], [0, 0, 0, 1]]),
        gives=3 / 8 * log(8 / 3) + 1 / 2 * log(2) + 1 / 8 * log(8),  # H(T): the cluster says it all
    ),
    case(
        _("a label and a cluster that never occur"),
        table=tensor([[4, 0, 1], [0, 0, 0], [1, 0, 2]]),
        gives=4 / 8 * log(32 / 25) + 2 / 8 * log(8 / 15) + 2 / 8 * log(16 / 9),
    ),
    case(_("one cluster holds everything"), table=tensor([[3], [5]]), gives=0.0),
    case(_("one label"), table=tensor([[2, 3, 5]]), gives=0.0),
    case(_("a single example"), table=tensor([[0, 1], [0, 0]]), gives=0.0),
    case(
        _("billions of examples"),
        table=tensor([[2_200_000_000, 0], [0, 100_000_000]]),  # int32 ends at 2_147_483_647
        gives=22 / 23 * log(23 / 22) + 1 / 23 * log(23),
    ),
    counted(_("five labels, seven clusters"), 5, 7, seed=1),
    counted(_("eleven labels, three clusters"), 11, 3, seed=2),
    counted(_("as many labels as clusters"), 5, 5, seed=3),
    counted(_("most pairs never occur"), 13, 17, seed=4, seen=0.2),
    counted(_("millions of examples"), 7, 5, seed=5, most=10**6, seen=0.7),
)
