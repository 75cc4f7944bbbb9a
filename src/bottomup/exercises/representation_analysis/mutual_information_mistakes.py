"""Mistakes in mutual information: the weight, the quotient, the base, empty cells, signs."""

import math

import torch

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.representation_analysis.mutual_information_parts import (
    Answer,
    alike,
    all_cells,
    both_entropies,
    by_counts,
    clusters_given_label,
    corrected,
    correlation,
    divided_by,
    entropy_of_clusters,
    entropy_of_labels,
    equal_columns,
    equal_rows,
    free_cells,
    joint_entropy,
    labels_given_cluster,
    mean,
    mean_logarithm,
    mean_of_all,
    naive,
    negated,
    of_changed_table,
    of_raw_counts,
    on_other_axes,
    plus,
    pointwise,
    right,
    scaled,
    seen_cells,
    settled,
    ways,
    weighted,
    with_the_sign,
)
from bottomup.i18n import _

SECTION = _("A number for what is known")
HAND = _("two labels, three of four in a cluster of their own")
CROSSED = _("each label in the other one's cluster")
INDEPENDENT = _("clusters that say nothing")
EMPTY = _("a label and a cluster that never occur")


def _named(slug: str, diagnosis: str, *answers: Answer, case: str = "") -> Misconception:
    wrong, *variants = answers
    return Misconception(slug, wrong, diagnosis, SECTION, tuple(variants), case)


WEIGHTS = (
    _named(
        "mean-over-cells",
        _(
            "The logarithms are averaged over the cells, or summed, each with the same weight. A "
            "pair that occurs once then counts as much as one that occurs a thousand times. The "
            "logarithm of one cell is its pointwise mutual information; I is its mean over "
            "examples, so each cell counts with its share p(t, c)."
        ),
        settled(mean_logarithm, mean),
        settled(mean_logarithm, mean_of_all),
        naive(mean_logarithm, mean),
        *ways(mean_logarithm),
        case=HAND,
    ),
    _named(
        "conditional-for-joint-weight",
        _(
            "The logarithms are weighted by a conditional share, p(t | c) or p(c | t). That sums "
            "what each cluster, or each label, says, as if all were equally frequent: the weights "
            "add up to their number and not to one. The weight of a cell is p(t, c), its count "
            "over all counts."
        ),
        *ways(weighted(lambda p: p.joint / p.p_c), weighted(lambda p: p.joint / p.p_t)),
        case=HAND,
    ),
    _named(
        "weighted-by-chance",
        _(
            "The logarithms are weighted by p(t) p(c), which is how often a pair would occur by "
            "chance. Cells that never occur then have a weight, and their logarithm is minus "
            "infinity. The mean runs over the examples there are: the weight is p(t, c)."
        ),
        *ways(
            weighted(lambda p: p.p_t * p.p_c),
            negated(weighted(lambda p: p.p_t * p.p_c)),
        ),
        case=HAND,
    ),
    _named(
        "counts-as-weights",
        _(
            "Counts stand where shares belong: in the weights, or everywhere. The result grows "
            "with the number of examples, though twice the same table says no more about a label "
            "than the table once. Divide the table by its sum first."
        ),
        by_counts,
        of_raw_counts,
        case=HAND,
    ),
    _named(
        "equal-rows",
        _(
            "Every row, or every column, was divided by its own sum, and the result taken for the "
            "joint table. All labels are then equally frequent, and a rare one counts as much as a "
            "common one. Divide by the sum of the whole table: its rows keep their sizes."
        ),
        *of_changed_table(equal_rows),
        *of_changed_table(equal_columns),
    ),
    _named(
        "clusters-averaged-alike",
        _(
            "The entropies within the clusters are averaged, or summed, as if all clusters had the "
            "same size. H(T | C) is a mean over examples: a cluster with a hundred of them counts "
            "a hundred times one with a single example, which leaves nothing unknown and would "
            "raise the result. Weight each by p(c)."
        ),
        *alike(lambda within, seen: within.mean()),
        *alike(lambda within, seen: within[seen].mean()),
        *alike(lambda within, seen: within.sum()),
    ),
)

QUOTIENTS = (
    _named(
        "nothing-divided",
        _(
            "The logarithm is that of p(t, c) alone, so this is the entropy H(T, C) of the pairs, "
            "or its negative. It is large where labels and clusters have nothing to do with each "
            "other. Each share is held against p(t) p(c), what it would be by chance."
        ),
        *ways(negated(joint_entropy), joint_entropy),
        case=INDEPENDENT,
    ),
    _named(
        "one-marginal-missing",
        _(
            "The share is divided by one of the two marginals only. The logarithm is then that of "
            "p(t | c) or p(c | t), and its mean is minus the entropy that is left: never above "
            "zero, where I is never below. Divide by p(t) and by p(c)."
        ),
        *ways(negated(labels_given_cluster), negated(clusters_given_label)),
        case=HAND,
    ),
    _named(
        "what-is-left",
        _(
            "This is H(T | C), or H(C | T): what is still unknown of the one when the other is "
            "given. It is smallest where the clusters say most. I is the difference, H(T) - "
            "H(T | C)."
        ),
        *ways(labels_given_cluster, clusters_given_label),
        case=INDEPENDENT,
    ),
    _named(
        "nothing-subtracted",
        _(
            "This is an entropy, H(T) or H(C) or their sum, from which nothing is taken off. It "
            "does not ask how labels and clusters go together: shuffle the labels and it stays as "
            "it is. I is H(T) - H(T | C), or H(T) + H(C) - H(T, C)."
        ),
        *ways(entropy_of_labels, entropy_of_clusters, both_entropies),
        case=INDEPENDENT,
    ),
    _named(
        "marginals-on-other-axes",
        _(
            "The two marginals were set against the table on the wrong axes: p(t) belongs to the "
            "rows, as [label, 1], and p(c) to the columns, as [1, cluster]. With as many labels as "
            "clusters it runs, and divides each share by another pair's. `keepdim=True` keeps an "
            "axis where it was."
        ),
        *on_other_axes(lambda p_t, p_c: p_c[:, None] * p_t),
        *on_other_axes(lambda p_t, p_c: p_t * p_c),
        *on_other_axes(lambda p_t, p_c: (p_t * p_c)[:, None]),
    ),
)

NUMBERS = (
    _named(
        "other-base",
        _(
            "The logarithm has another base: with log2 the result is in bits, 1.44 times too "
            "large. Nothing else is wrong, but H(T) and a cross-entropy are in nats in this book, "
            "and a value in bits beside them can exceed H(T). Use the natural logarithm, `log`."
        ),
        *ways(scaled(1 / math.log(2)), scaled(1 / math.log(10))),
        case=HAND,
    ),
    _named(
        "share-of-an-entropy",
        _(
            "The result is divided by an entropy, so that it runs from 0 to 1. Such a share says "
            "how much of a label is known, and it can rise while the information falls. Asked is "
            "the number of nats."
        ),
        *divided_by(lambda H_T, H_C: H_T),
        *divided_by(lambda H_T, H_C: H_C),
        *divided_by(lambda H_T, H_C: (H_T + H_C) / 2),
        *divided_by(lambda H_T, H_C: (H_T * H_C).sqrt()),
        *divided_by(torch.minimum),
        *divided_by(torch.maximum),
        case=HAND,
    ),
    _named(
        "zero-cells-are-nan",
        _(
            "A pair that never occurs has the share 0, and 0 log 0 is NaN on a computer: 0 times "
            "minus infinity. One such cell makes the whole sum NaN, and most cells of a table of "
            "words are empty. The same goes for 0 / 0 in a row or column without a count. Such "
            "cells add nothing: leave them out."
        ),
        naive(right),
    ),
    _named(
        "counts-smoothed",
        _(
            "A number is added to every count, which keeps the logarithm away from zero but "
            "changes the table. Pairs that never occurred now do, labels and clusters look less "
            "related, and the result falls, most in a large table with few examples. Leave cells "
            "without a count out of the sum."
        ),
        *(of_changed_table(plus(count))[0] for count in (1, 0.5, 0.1, 0.01, 1e-3)),
        case=CROSSED,
    ),
    _named(
        "bias-corrected",
        _(
            "A correction for few examples is subtracted. A table of few examples does show more "
            "information than there is, and the correction is worth having, but it is another "
            "number. Asked is the value of the table as it stands."
        ),
        *(corrected(cells) for cells in (seen_cells, free_cells, all_cells)),
        *(corrected(cells, 0) for cells in (seen_cells, free_cells, all_cells)),
        case=HAND,
    ),
)

SIGNS = (
    _named(
        "below-chance-dropped",
        _(
            "Pairs that occur less often than by chance are dropped, or counted as if they "
            "occurred more often. Their logarithm is negative and belongs into the sum; together "
            "all cells never come to less than zero. Without it, counts that vary by chance alone "
            "look like information."
        ),
        *ways(
            lambda p: p.joint * pointwise(p).clamp(min=0),
            lambda p: p.joint * pointwise(p).abs(),
        ),
        case=HAND,
    ),
    _named(
        "relation-with-a-sign",
        _(
            "The result has the sign, or the value, of a correlation. Labels and clusters are "
            "names: exchange the numbers of two clusters and a correlation turns round, while what "
            "the cluster says about the label stays the same. A relation that is perfectly "
            "negative has I = H(T), the most there can be."
        ),
        with_the_sign,
        lambda table: with_the_sign(table).clamp(min=0),
        correlation,
        lambda table: correlation(table).nan_to_num(0),
        lambda table: correlation(table).nan_to_num(0).clamp(min=0),
        case=CROSSED,
    ),
    _named(
        "sign-turned",
        _(
            "The sign is turned: what comes out is -I. The minus of an entropy is there because "
            "its logarithm is that of a share, which is below one. Here the logarithm is that of "
            "a quotient, and I has no minus; it is never below zero."
        ),
        *ways(negated(right)),
        case=HAND,
    ),
)

MISCONCEPTIONS = (*WEIGHTS, *QUOTIENTS, *NUMBERS, *SIGNS)
