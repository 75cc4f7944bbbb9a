"""Exercise: mutual information from a table of counts (Voita et al., 2019, mutual information)."""

from collections.abc import Callable
from math import log

import torch
from torch import Tensor

from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.representation_analysis.mutual_information_mistakes import (
    CROSSED,
    EMPTY,
    HAND,
    INDEPENDENT,
    MISCONCEPTIONS,
)
from bottomup.exercises.representation_analysis.one_number import compare_number
from bottomup.i18n import _

STUB = '''\
def mutual_information(table):
    """What the cluster says about the label, in nats.

    I(T; C) = sum_{t, c} p(t, c) log(p(t, c) / (p(t) p(c)))
    table [label, cluster], int64: how often each label fell into each
    cluster; p(t, c) is a count over the sum of all counts. Cells without
    a count add nothing. A label or a cluster may never occur: its row or
    column holds zeros alone.
    Returns a number, or a tensor without axes.
    """
    ...
'''


def mutual_information(table: torch.Tensor) -> float:
    joint = table / table.sum()  # p(t, c)
    chance = table.sum(dim=1, keepdim=True) * table.sum(dim=0) / table.sum()  # counts
    seen = table > 0
    return float((joint[seen] * (table[seen] / chance[seen]).log()).sum())


def with_entropies(table: Tensor) -> Tensor:
    def entropy(counts: Tensor) -> Tensor:
        return torch.special.entr(counts / table.sum()).sum()

    return entropy(table.sum(1)) + entropy(table.sum(0)) - entropy(table)


def with_what_is_left(table: Tensor) -> Tensor:
    n = table.double()
    p_t = n.sum(1) / n.sum()
    left = -torch.xlogy(n, n / n.sum(0).clamp(min=1)).sum() / n.sum()  # H(T | C)
    return -torch.xlogy(p_t, p_t).sum() - left


def with_loops(table: Tensor) -> float:
    labels, clusters = table.sum(1).tolist(), table.sum(0).tolist()
    total, found = sum(labels), 0.0
    for t, row in enumerate(table.tolist()):
        for c, n in enumerate(row):
            if n:
                found += n / total * log(n * total / (labels[t] * clusters[c]))
    return found


def with_nan_to_num(table: Tensor) -> Tensor:
    p = table.double() / table.sum()
    chance = torch.outer(p.sum(1), p.sum(0))
    return (p * torch.log(p / chance)).nan_to_num(0).sum()


def with_a_floor(table: Tensor) -> Tensor:
    p = table.double() / table.sum()
    chance = torch.einsum("tc,xy->ty", p, p)
    return (p * ((p + 1e-12) / (chance + 1e-12)).log()).sum()


def with_a_divergence(table: Tensor) -> Tensor:
    p = (table / table.sum()).double()
    chance = p.sum(1, keepdim=True) @ p.sum(0, keepdim=True)
    log_chance = chance.clamp(min=1e-30).log()
    return torch.nn.functional.kl_div(log_chance, p, reduction="sum")


Make = Callable[[torch.Generator], Inputs]


def _given(*rows: list[int]) -> Make:
    return lambda generator: {"table": torch.tensor(rows)}


def _random(labels: int, clusters: int, *, most: int = 20, seen: float = 1.0) -> Make:
    """Counts up to `most`, of which the share `seen` is kept; rows of different sizes."""

    def make(generator: torch.Generator) -> Inputs:
        shape = (labels, clusters)
        counts = torch.randint(1, most, shape, generator=generator)
        kept = torch.rand(shape, generator=generator) < seen
        return {"table": counts * kept * torch.arange(1, labels + 1)[:, None]}

    return make


CASES = (
    Case(HAND, _given([3, 1], [1, 3])),
    Case(CROSSED, _given([0, 5], [5, 0])),
    Case(INDEPENDENT, _given([2, 4], [3, 6])),
    Case(_("one label in two clusters"), _given([2, 1, 0, 0], [0, 0, 4, 0], [0, 0, 0, 1])),
    Case(EMPTY, _given([4, 0, 1], [0, 0, 0], [1, 0, 2])),
    Case(_("one cluster holds everything"), _given([3], [5])),
    Case(_("one label"), _given([2, 3, 5])),
    Case(_("a single example"), _given([0, 1], [0, 0])),
    Case(_("five labels, seven clusters"), _random(5, 7), seed=1),
    Case(_("eleven labels, three clusters"), _random(11, 3), seed=2),
    Case(_("as many labels as clusters"), _random(5, 5), seed=3),
    Case(_("most pairs never occur"), _random(13, 17, seen=0.2), seed=4),
    Case(_("millions of examples"), _random(7, 5, most=10**6, seen=0.7), seed=5),
)

MUTUAL_INFORMATION = Exercise(
    slug="mutual-information",
    title=_("Mutual information from a table"),
    chapter="08",
    difficulty=2,
    minutes=10,
    stub=STUB,
    hints=(
        _(
            "Divide [[3, 1], [1, 3]] by its sum. Each label and each cluster has the share 1/2. "
            "What would the four cells be if the cluster said nothing, and how many times that "
            "are they?"
        ),
        _(
            "Sum the shares along each axis; with `keepdim=True` they are [label, 1] and [1, "
            "cluster], and their product is [label, cluster]. Each cell's logarithm counts with "
            "the cell's own share."
        ),
        _(
            "0 times the logarithm of 0 is NaN on a computer. Take the cells that have a count, "
            "`seen = joint > 0`, and compute with `joint[seen]` and `chance[seen]`."
        ),
    ),
    solution=mutual_information,
    alternatives=(
        with_entropies,
        with_what_is_left,
        with_loops,
        with_nan_to_num,
        with_a_floor,
        with_a_divergence,
    ),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    compare=compare_number,
)
