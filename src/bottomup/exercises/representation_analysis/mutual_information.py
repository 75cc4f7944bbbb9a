"""Exercise: mutual information from a table of counts (Voita et al., 2019, mutual information)."""

import math
from collections.abc import Callable
from math import log
from typing import NamedTuple

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.representation_analysis.named_numbers import compare_number
from bottomup.i18n import _


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


# ---- One step in another way: what the mistakes are made of

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


# ---- Mistakes: the weight, the quotient, the base, empty cells, signs

HAND = _("two labels, three of four in a cluster of their own")
CROSSED = _("each label in the other one's cluster")
INDEPENDENT = _("clusters that say nothing")
EMPTY = _("a label and a cluster that never occur")


def _named(slug: str, *answers: Answer, case: str = "") -> Mistake:
    wrong, *variants = answers
    return Mistake(slug, wrong, tuple(variants), case)


WEIGHTS = (
    _named(
        "mean-over-cells",
        settled(mean_logarithm, mean),
        settled(mean_logarithm, mean_of_all),
        naive(mean_logarithm, mean),
        *ways(mean_logarithm),
        case=HAND,
    ),
    _named(
        "conditional-for-joint-weight",
        *ways(weighted(lambda p: p.joint / p.p_c), weighted(lambda p: p.joint / p.p_t)),
        case=HAND,
    ),
    _named(
        "weighted-by-chance",
        *ways(
            weighted(lambda p: p.p_t * p.p_c),
            negated(weighted(lambda p: p.p_t * p.p_c)),
        ),
        case=HAND,
    ),
    _named("counts-as-weights", by_counts, of_raw_counts, case=HAND),
    _named("equal-rows", *of_changed_table(equal_rows), *of_changed_table(equal_columns)),
    _named(
        "clusters-averaged-alike",
        *alike(lambda within, seen: within.mean()),
        *alike(lambda within, seen: within[seen].mean()),
        *alike(lambda within, seen: within.sum()),
    ),
)

QUOTIENTS = (
    _named("nothing-divided", *ways(negated(joint_entropy), joint_entropy), case=INDEPENDENT),
    _named(
        "one-marginal-missing",
        *ways(negated(labels_given_cluster), negated(clusters_given_label)),
        case=HAND,
    ),
    _named("what-is-left", *ways(labels_given_cluster, clusters_given_label), case=INDEPENDENT),
    _named(
        "nothing-subtracted",
        *ways(entropy_of_labels, entropy_of_clusters, both_entropies),
        case=INDEPENDENT,
    ),
    _named(
        "marginals-on-other-axes",
        *on_other_axes(lambda p_t, p_c: p_c[:, None] * p_t),
        *on_other_axes(lambda p_t, p_c: p_t * p_c),
        *on_other_axes(lambda p_t, p_c: (p_t * p_c)[:, None]),
    ),
)

NUMBERS = (
    _named("other-base", *ways(scaled(1 / math.log(2)), scaled(1 / math.log(10))), case=HAND),
    _named(
        "share-of-an-entropy",
        *divided_by(lambda H_T, H_C: H_T),
        *divided_by(lambda H_T, H_C: H_C),
        *divided_by(lambda H_T, H_C: (H_T + H_C) / 2),
        *divided_by(lambda H_T, H_C: (H_T * H_C).sqrt()),
        *divided_by(torch.minimum),
        *divided_by(torch.maximum),
        case=HAND,
    ),
    _named("zero-cells-are-nan", naive(right)),
    _named(
        "counts-smoothed",
        *(of_changed_table(plus(count))[0] for count in (1, 0.5, 0.1, 0.01, 1e-3)),
        case=CROSSED,
    ),
    _named(
        "bias-corrected",
        *(corrected(cells) for cells in (seen_cells, free_cells, all_cells)),
        *(corrected(cells, 0) for cells in (seen_cells, free_cells, all_cells)),
        case=HAND,
    ),
)

SIGNS = (
    _named(
        "below-chance-dropped",
        *ways(
            lambda p: p.joint * pointwise(p).clamp(min=0),
            lambda p: p.joint * pointwise(p).abs(),
        ),
        case=HAND,
    ),
    _named(
        "relation-with-a-sign",
        with_the_sign,
        lambda table: with_the_sign(table).clamp(min=0),
        correlation,
        lambda table: correlation(table).nan_to_num(0),
        lambda table: correlation(table).nan_to_num(0).clamp(min=0),
        case=CROSSED,
    ),
    _named("sign-turned", *ways(negated(right)), case=HAND),
)

MISTAKES = (*WEIGHTS, *QUOTIENTS, *NUMBERS, *SIGNS)


# ---- Cases

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

ANSWERS = Answers(
    solution=mutual_information,
    alternatives=(
        with_entropies,
        with_what_is_left,
        with_loops,
        with_nan_to_num,
        with_a_floor,
        with_a_divergence,
    ),
    mistakes=MISTAKES,
    cases=CASES,
    compare=compare_number,
)
