"""Mutual information with one step in another way: what the mistakes are made of."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

Answer = Callable[[Tensor], Tensor]
Terms = Callable[["Shares"], Tensor]  # -> a number for each cell, [label, cluster]
Reduce = Callable[[Tensor, int], Tensor]  # numbers of cells, and how many cells there are


class Shares(NamedTuple):
    """What each cell knows; p_t and p_c are repeated over the table.

    `joint` is p(t, c), `p_t` is p(t) and `p_c` is p(c), all [label, cluster].
    """

    joint: Tensor
    p_t: Tensor
    p_c: Tensor


def shares(table: Tensor) -> Shares:
    joint = table / table.sum()
    p_t, p_c = joint.sum(1, keepdim=True), joint.sum(0, keepdim=True)
    return Shares(joint, p_t.expand_as(joint), p_c.expand_as(joint))


def pointwise(p: Shares) -> Tensor:
    return (p.joint / (p.p_t * p.p_c)).log()


def right(p: Shares) -> Tensor:
    return p.joint * pointwise(p)


def total(cells: Tensor, count: int) -> Tensor:
    return cells.sum()


def total_of_finite(cells: Tensor, count: int) -> Tensor:
    return cells[cells.isfinite()].sum()


def settled(terms: Terms, reduce: Reduce = total) -> Answer:
    """Cells without a count are left out."""

    def answer(table: Tensor) -> Tensor:
        return reduce(terms(shares(table))[table > 0], table.numel())

    return answer


def naive(terms: Terms, reduce: Reduce = total) -> Answer:
    """Cells without a count are summed like any other."""
    return lambda table: reduce(terms(shares(table)).flatten(), table.numel())


def ways(*terms: Terms) -> tuple[Answer, ...]:
    """Each formula with empty cells left out, and with what they come to by themselves."""
    return tuple(answer for each in terms for answer in (settled(each), naive(each)))


def entropy_of_labels(p: Shares) -> Tensor:
    return -p.joint * p.p_t.log()  # sum_c p(t, c) = p(t)


def entropy_of_clusters(p: Shares) -> Tensor:
    return -p.joint * p.p_c.log()


def both_entropies(p: Shares) -> Tensor:
    return entropy_of_labels(p) + entropy_of_clusters(p)


def joint_entropy(p: Shares) -> Tensor:
    return -p.joint * p.joint.log()


def labels_given_cluster(p: Shares) -> Tensor:
    return -p.joint * (p.joint / p.p_c).log()


def clusters_given_label(p: Shares) -> Tensor:
    return -p.joint * (p.joint / p.p_t).log()


def negated(terms: Terms) -> Terms:
    return lambda p: -terms(p)


def scaled(by: float) -> Terms:
    return lambda p: by * right(p)


def weighted(weight: Terms) -> Terms:
    """The logarithms are right, and so is nothing else."""
    return lambda p: weight(p) * pointwise(p)


def of_changed_table(change: Answer) -> tuple[Answer, ...]:
    """Right for another table than the one that was given."""

    def changed(answer: Answer) -> Answer:
        return lambda table: answer(change(table))

    return changed(settled(right)), changed(naive(right))


def equal_rows(table: Tensor) -> Tensor:
    return (table / table.sum(1, keepdim=True)).nan_to_num(0)


def equal_columns(table: Tensor) -> Tensor:
    return (table / table.sum(0, keepdim=True)).nan_to_num(0)


def plus(count: float) -> Answer:
    return lambda table: table + count


def corrected(count: Callable[[Tensor], Tensor], least: float = -torch.inf) -> Answer:
    """Less what chance adds with N examples: a count of free cells over 2 N."""

    def answer(table: Tensor) -> Tensor:
        return (settled(right)(table) - count(table) / (2 * table.sum())).clamp(min=least)

    return answer


def free_cells(table: Tensor) -> Tensor:
    rows, columns = ((table.sum(axis) > 0).sum() for axis in (1, 0))
    return (rows - 1) * (columns - 1)


def seen_cells(table: Tensor) -> Tensor:
    """Miller and Madow's count: of each entropy, what occurs less one."""
    rows, columns = ((table.sum(axis) > 0).sum() for axis in (1, 0))
    return (table > 0).sum() - rows - columns + 1


def all_cells(table: Tensor) -> Tensor:
    return torch.tensor((table.shape[0] - 1) * (table.shape[1] - 1))


def by_counts(table: Tensor) -> Tensor:
    """N times the information."""
    return table.sum() * settled(right)(table)


def of_raw_counts(table: Tensor) -> Tensor:
    """Nothing is divided by the number of examples."""
    n = table[table > 0].float()
    rows, columns = (table.sum(axis, keepdim=True).expand_as(table) for axis in (1, 0))
    return (n * (n / (rows * columns)[table > 0]).log()).sum()


def mean_logarithm(p: Shares) -> Tensor:
    return pointwise(p)


def mean(cells: Tensor, count: int) -> Tensor:
    return cells.mean()


def mean_of_all(cells: Tensor, count: int) -> Tensor:
    return cells.sum() / count


def on_other_axes(product: Callable[[Tensor, Tensor], Tensor]) -> tuple[Answer, ...]:
    """The marginals [label] and [cluster] meet the table on axes that are not theirs."""

    def terms(p: Shares) -> Tensor:
        return p.joint * (p.joint / product(p.joint.sum(1), p.joint.sum(0))).log()

    return *ways(terms), naive(terms, total_of_finite)


def correlation(table: Tensor) -> Tensor:
    """Pearson's, of the number of the label and the number of the cluster."""
    p = shares(table)
    t, c = (torch.arange(size, dtype=p.joint.dtype) for size in table.shape)
    t, c = t[:, None] - (p.joint * t[:, None]).sum(), c - (p.joint * c).sum()
    spread = (p.joint * t**2).sum() * (p.joint * c**2).sum()
    return (p.joint * t * c).sum() / spread.sqrt()


def alike(average: Callable[[Tensor, Tensor], Tensor]) -> tuple[Answer, ...]:
    """H(T) less the entropies of the clusters, averaged without their sizes; and H(C) likewise.

    `average` takes the entropy of each cluster and whether it has a count at all.
    """

    def answer(table: Tensor) -> Tensor:
        within = torch.special.entr(equal_columns(table)).sum(0)
        return settled(entropy_of_labels)(table) - average(within, table.sum(0) > 0)

    return answer, lambda table: answer(table.T)


def with_the_sign(table: Tensor) -> Tensor:
    return settled(right)(table) * correlation(table).sign().nan_to_num(0)


Norm = Callable[[Tensor, Tensor], Tensor]  # H(T), H(C) -> what I is divided by


def divided_by(norm: Norm) -> tuple[Answer, ...]:
    """A share of an entropy; where that is zero, NaN or zero."""

    def answer(table: Tensor) -> Tensor:
        entropies = settled(entropy_of_labels)(table), settled(entropy_of_clusters)(table)
        return settled(right)(table) / norm(*entropies)

    return answer, lambda table: answer(table).nan_to_num(0)
