"""Mutual information of two labellings: plug-in, shuffled, held out.

Each number is in nats and counts how often pairs of labels t and c occur.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float64, Int64
from torch import Tensor

from bottomup.analysis.samples import (
    check_numbers,
    permutation,
)
from bottomup.checks import check_generator, check_integer, check_number

# Pseudo-examples that each cluster is given: half-decades from .01 to 100,000.
SMOOTHINGS = tuple(10.0 ** (power / 2) for power in range(-4, 11))
FIT, TUNE, TEST = 0, 1, 2


class Table(NamedTuple):
    """A contingency table without its zeros.

    Example n has the pair ``pair_of[n]``; pair r joins the label
    ``label_of[r]`` and the cluster ``cluster_of[r]``. All three are numbered
    anew, from 0 without gaps, in the order of the original numbers.
    """

    pair_of: Int64[Tensor, " example"]
    label_of: Int64[Tensor, " pair"]
    cluster_of: Int64[Tensor, " pair"]


class HeldOutInformation(NamedTuple):
    """A lower bound on I(T; C) in nats, and the H(T) in nats it stands on.

    `smoothing` is what was chosen, in pseudo-examples for each cluster.
    """

    nats: float
    smoothing: float
    entropy: float


def entropy(labels: Int64[Tensor, " example"]) -> float:
    """Return the entropy of the frequencies of the labels, in nats.

    ``H(T) = -sum_t p(t) log p(t)``, ``p(t) = n(t) / N``

    This is the plug-in estimate. For N independent draws from a larger
    population it is too small by about ``(types - 1) / (2 N)`` on average.

    Args:
        labels: numbers of any size, at least 0; their names do not matter.

    Chapter 08 derives it.

    Example:
        >>> round(entropy(torch.tensor([0, 1, 2, 3])), 4)  # log 4
        1.3863
    """
    check_numbers("labels", labels, "example")
    n = labels.cpu().unique(return_counts=True)[1].double()  # [label]
    p = n / n.sum()
    return float(-(p * p.log()).sum()) + 0.0  # no minus before zero


def plug_in_information(
    labels: Int64[Tensor, " example"], clusters: Int64[Tensor, " example"]
) -> float:
    """Return the mutual information of two labellings in the sample as it is.

    ``I(T; C) = sum_t,c p(t, c) log(p(t, c) / (p(t) p(c)))``, each p a share of
    the N examples

    It lies between 0 and min(H(T), H(C)). As an estimate for the population
    that the examples come from it is biased. Where T types and C clusters have
    nothing in common it is too large, by about ``(T - 1) (C - 1) / (2 N)`` if N
    is large against T C, and by up to min(H(T), H(C)) if it is not. Where the
    cluster gives the type away it can be too small, as a sample's entropy is.

    Args:
        labels: t of each example, at least 0.
        clusters: c of each example, at least 0. Exchanging the arguments, or
            renaming labels or clusters one to one, changes nothing.

    Source: Voita et al. (2019), "The Bottom-up Evolution of Representations in
    the Transformer", mutual information of tokens and clusters of states.
    Chapter 08 derives it.

    Example:
        >>> labels = torch.tensor([0, 0, 1, 1])
        >>> round(plug_in_information(labels, labels), 4)  # log 2
        0.6931
        >>> plug_in_information(labels, torch.tensor([0, 1, 0, 1]))
        0.0
    """
    table = contingency(labels, clusters)
    n = torch.bincount(table.pair_of).double()  # n(t, c) [pair]
    return _information(table, n)


def _information(table: Table, n: Float64[Tensor, " pair"]) -> float:
    """Return ``sum n(t,c)/N log(n(t,c) N / (n(t) n(c)))``; n may be zero."""
    n_label = torch.bincount(table.label_of, weights=n)  # n(t) [label]
    n_cluster = torch.bincount(table.cluster_of, weights=n)  # n(c) [cluster]
    product = n_label[table.label_of] * n_cluster[table.cluster_of]  # [pair]
    N, seen = n.sum(), n > 0
    n, product = n[seen], product[seen]
    return float((n / N * (n * N / product).log()).sum())


def shuffled_information(
    labels: Int64[Tensor, " example"],
    clusters: Int64[Tensor, " example"],
    *,
    generator: torch.Generator,
    shuffles: int = 5,
) -> float:
    """Return what `plug_in_information` reads where there is nothing to read.

    ``mean over shuffles s of I(T_s; C)``, T_s the labels in random order

    Report it beside the plug-in value and do not subtract it: where labels and
    clusters belong together fewer pairs occur than after shuffling, and the
    plug-in value is less biased, or biased the other way. `generator` draws the
    orders.

    Chapter 08 derives it.

    Example:
        >>> labels = torch.arange(2).repeat(500)
        >>> generator = torch.Generator().manual_seed(0)
        >>> shuffled_information(labels, labels, generator=generator) < 0.01
        True
    """
    check_integer("shuffles", shuffles, at_least=1)
    check_numbers("labels", labels, "example")
    values = []
    for _shuffle in range(shuffles):
        order = permutation(len(labels), generator).to(labels.device)
        values.append(plug_in_information(labels[order], clusters))
    return sum(values) / shuffles


def information_spread(
    labels: Int64[Tensor, " example"],
    clusters: Int64[Tensor, " example"],
    sentences: Int64[Tensor, " example"],
    *,
    generator: torch.Generator,
    draws: int = 100,
) -> float:
    """Return how much `plug_in_information` varies with the sentences.

    ``standard deviation over draws b of I(T_b; C_b)``, in draw b as many
    sentences as there are, drawn with replacement, each with all its examples

    Tokens of one sentence depend on each other, so whole sentences are drawn: a
    bootstrap over tokens would come out too narrow. The clusters are kept; that
    they were found in the same states is not part of the spread. The mean of
    the draws is no estimate, since drawing again adds to the bias. `sentences`
    are the numbers of the sentences that the examples stand in.

    Source: the bootstrap of Efron (1979), by sentence. Chapter 08 derives it.
    """
    check_integer("draws", draws, at_least=2)
    check_generator("generator", generator)
    table = contingency(labels, clusters)
    check_numbers("sentences", sentences, "example", example=len(labels))
    sentence_of, count = renumbered(sentences, at_least=2)
    values = []
    for _draw in range(draws):
        picked = torch.randint(
            count, (count,), generator=generator, device=generator.device
        )
        times = torch.bincount(picked.cpu(), minlength=count).double()
        n = torch.bincount(table.pair_of, weights=times[sentence_of])  # [pair]
        values.append(_information(table, n))
    return float(torch.tensor(values, dtype=torch.float64).std())


def held_out_information(
    labels: Int64[Tensor, " example"],
    clusters: Int64[Tensor, " example"],
    sentences: Int64[Tensor, " example"],
    *,
    generator: torch.Generator,
    true_entropy: float | None = None,
    smoothings: Sequence[float] = SMOOTHINGS,
) -> HeldOutInformation:
    """Bound the mutual information by predicting labels of unseen sentences.

    ``I(T; C) >= H(T) - CE(T | C)``,
    ``CE(T | C) = -mean over test examples of log q(t | c)``,
    ``q(t | c) = (n(t, c) + s q(t)) / (n(c) + s)``,
    ``q(t) = (n(t) + 1) / (n + types)``

    The counts n come from the first part of the sentences, the smoothing s is
    the best one on the second part, the examples of CE are those of the third;
    `split_by_sentence` makes the parts. s is a number of pseudo-examples that
    each cluster is given in the proportions q(t): with a large s the prediction
    ignores the cluster.

    Any q gives a cross-entropy of at least H(T | C) on average, hence the
    bound. It needs the *true* H(T) of the distribution that the sentences come
    from. Where that is not known, the entropy of all the labels stands in; it
    is too small on average, so the bound only becomes lower. The value varies
    with the test part, can exceed I(T; C) by chance, and can be negative.

    Args:
        labels: t of each example, at least 0.
        clusters: c of each example, at least 0, found without a look at the
            labels.
        sentences: the sentence each example stands in, at least 0.
        generator: draws the split.
        true_entropy: H(T) in nats, where the distribution is known.
        smoothings: the values of s to choose from, each above 0.

    Source: the variational bound of Barber and Agakov (2003). Chapter 08
    derives it.

    Example:
        >>> labels = torch.arange(2).repeat(60)
        >>> generator = torch.Generator().manual_seed(0)
        >>> found = held_out_information(
        ...     labels, labels, torch.arange(120) // 4, generator=generator
        ... )
        >>> found.nats <= round(found.entropy, 4)
        True
    """
    if true_entropy is not None:
        check_number("true_entropy", true_entropy, at_least=0, below=torch.inf)
    if not len(smoothings):
        raise ValueError("smoothings: expected at least one value, got none")
    for s in smoothings:
        check_number("smoothings", s, above=0, below=torch.inf)
    table = contingency(labels, clusters)
    check_numbers("sentences", sentences, "example", example=len(labels))
    part = split_by_sentence(sentences, generator=generator)  # [example]
    tuned = [_cross_entropy(table, part, TUNE, s) for s in smoothings]
    smoothing = float(smoothings[tuned.index(min(tuned))])
    H = entropy(labels) if true_entropy is None else float(true_entropy)
    nats = H - _cross_entropy(table, part, TEST, smoothing)
    return HeldOutInformation(nats, smoothing, H)


def _cross_entropy(table: Table, part: Tensor, scored: int, s: float) -> float:
    """Return ``-mean log q(t | c)`` of a part, q counted in the part FIT."""
    label_of, cluster_of = table.label_of, table.cluster_of
    fitted = table.pair_of[part == FIT]
    n = torch.bincount(fitted, minlength=len(label_of)).double()  # [pair]
    n_label = torch.bincount(label_of, weights=n)  # [label]
    n_cluster = torch.bincount(cluster_of, weights=n)  # [cluster]
    q_label = (n_label + 1) / (n_label.sum() + len(n_label))  # q(t) [label]
    q = (n + s * q_label[label_of]) / (n_cluster[cluster_of] + s)  # [pair]
    return float(-q[table.pair_of[part == scored]].log().mean())


def split_by_sentence(
    sentences: Int64[Tensor, " example"], *, generator: torch.Generator
) -> Int64[Tensor, " example"]:
    """Return the part of each example, on the CPU: 0 count, 1 tune, 2 test.

    Half of the sentences, drawn at random, go to part 0, a quarter each to the
    others, rounded down for the first two. A sentence lies in one part with all
    its examples.

    Args:
        sentences: the sentence each example stands in, at least 0.
        generator: draws the order of the sentences.

    Chapter 08 uses it.
    """
    check_numbers("sentences", sentences, "example")
    sentence_of, count = renumbered(sentences, at_least=3)
    order = permutation(count, generator)  # [sentence]
    fit = count // 2
    tune = (count - fit) // 2
    part = torch.full((count,), TEST)
    part[order[:fit]] = FIT
    part[order[fit : fit + tune]] = TUNE
    return part[sentence_of]


def contingency(labels: Tensor, clusters: Tensor) -> Table:
    """Find on the CPU which pairs occur, of labels and clusters [example]."""
    check_numbers("labels", labels, "example")
    check_numbers("clusters", clusters, "example", example=len(labels))
    t = labels.cpu().unique(return_inverse=True)[1]
    names, c = clusters.cpu().unique(return_inverse=True)
    pairs, pair_of = (t * len(names) + c).unique(return_inverse=True)
    return Table(pair_of, pairs // len(names), pairs % len(names))


def renumbered(sentences: Tensor, at_least: int) -> tuple[Tensor, int]:
    """Number sentences from 0 without gaps, on the CPU, and count them."""
    names, numbers = sentences.cpu().unique(return_inverse=True)
    if len(names) < at_least:
        raise ValueError(
            f"sentences: expected at least {at_least} different sentences, got "
            f"{len(names)}"
        )
    return numbers, len(names)
