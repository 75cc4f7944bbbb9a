"""Mutual information of two labellings, counted from how often each pair of labels occurs."""

from typing import NamedTuple

import torch
from jaxtyping import Int64
from torch import Tensor

from bottomup.checks import check_generator, check_integer, check_tensor


class Table(NamedTuple):
    """A contingency table without its zeros.

    Example n has the pair ``pair_of[n]``, and pair number r joins the label ``label_of[r]`` with
    the cluster ``cluster_of[r]``. All three are numbered anew, from 0 without gaps, in the order of
    the original numbers.
    """

    pair_of: Tensor
    label_of: Tensor
    cluster_of: Tensor


def entropy(labels: Int64[Tensor, " example"]) -> float:
    """Return the entropy of the frequencies of the labels, in nats.

    ``H(T) = -sum_t p(t) log p(t)``, ``p(t) = n(t) / N``

    This is the plug-in estimate. For N independent draws from a larger population it is too small
    by about ``(types - 1) / (2 N)`` on average.

    Args:
        labels: numbers of any size, at least 0; their names do not matter.

    Chapter 08 derives it.
    """
    check_numbers("labels", labels)
    counts = labels.cpu().unique(return_counts=True)[1].double()
    shares = counts / counts.sum()
    return float(-(shares * shares.log()).sum()) + 0.0  # no minus before zero


def plug_in_information(
    labels: Int64[Tensor, " example"], clusters: Int64[Tensor, " example"]
) -> float:
    """Return the mutual information of two labellings in the sample as it is, in nats.

    ``I(T; C) = sum_t,c p(t, c) log(p(t, c) / (p(t) p(c)))``, each p a share of the N examples

    It lies between 0 and the smaller of H(T) and H(C). As an estimate for the population that the
    examples come from it is biased. Where T types and C clusters have nothing in common it is too
    large: about ``(T - 1) (C - 1) / (2 N)`` if N is large against T C, and up to min(H(T), H(C))
    if it is not; `shuffled_information` shows how much. Where the cluster gives the type away it
    can be too small, as the entropy of a sample is. `held_out_information` bounds from below.

    Args:
        labels: t of each example, at least 0.
        clusters: c of each example, at least 0. Exchanging the arguments, or renaming the labels
            or the clusters one to one, changes nothing.

    Source: Voita et al. (2019), "The Bottom-up Evolution of Representations in the Transformer",
    mutual information of tokens and clusters of states. Chapter 08 derives it.
    """
    table = contingency(labels, clusters)
    return _information(table, torch.bincount(table.pair_of).double())


def shuffled_information(
    labels: Int64[Tensor, " example"],
    clusters: Int64[Tensor, " example"],
    *,
    generator: torch.Generator,
    shuffles: int = 5,
) -> float:
    """Return what `plug_in_information` reads, in nats, where there is nothing to be read.

    ``mean over shuffles s of I(T_s; C)``, T_s the labels in random order

    Report it beside the plug-in value and do not subtract it: where labels and clusters belong
    together fewer pairs occur than after shuffling, and the plug-in value is less biased, or biased
    the other way.

    Args:
        labels: t of each example, at least 0.
        clusters: c of each example, at least 0.
        generator: draws the orders.
        shuffles: number of orders to average over.

    Chapter 08 derives it.
    """
    check_integer("shuffles", shuffles, at_least=1)
    check_generator("generator", generator)
    check_numbers("labels", labels)
    values = [
        plug_in_information(_shuffled(labels, generator), clusters)
        for _shuffle in range(shuffles)
    ]
    return sum(values) / shuffles


def information_spread(
    labels: Int64[Tensor, " example"],
    clusters: Int64[Tensor, " example"],
    sentences: Int64[Tensor, " example"],
    *,
    generator: torch.Generator,
    draws: int = 100,
) -> float:
    """Return how much `plug_in_information` varies with the choice of sentences, in nats.

    ``standard deviation over draws b of I(T_b; C_b)``, in draw b as many sentences as there are,
    drawn with replacement, each with all its examples

    Tokens of one sentence depend on each other, so whole sentences are drawn: the bootstrap over
    tokens would come out too narrow. The clusters are kept as they are; that they were found in
    the same states is not part of the spread. The mean of the draws is no estimate, since drawing
    again adds to the bias of the plug-in value, and is not returned.

    Args:
        labels: t of each example, at least 0.
        clusters: c of each example, at least 0.
        sentences: the number of the sentence each example stands in, at least 0.
        generator: draws the sentences.
        draws: number of draws.

    Source: the bootstrap of Efron (1979), by sentence. Chapter 08 derives it.
    """
    check_integer("draws", draws, at_least=2)
    check_generator("generator", generator)
    table = contingency(labels, clusters)
    groups = sentence_numbers(labels, sentences, at_least=2)
    count = int(groups.max()) + 1
    values = []
    for _draw in range(draws):
        picked = torch.randint(
            count, (count,), generator=generator, device=generator.device
        )
        times = torch.bincount(picked.cpu(), minlength=count).double()
        weights = torch.bincount(table.pair_of, weights=times[groups])
        values.append(_information(table, weights))
    return float(torch.tensor(values, dtype=torch.float64).std())


def contingency(labels: Tensor, clusters: Tensor) -> Table:
    """Count on the CPU which pairs occur, and raise what `plug_in_information` raises."""
    check_numbers("labels", labels)
    check_numbers("clusters", clusters)
    check_one_for_each("clusters", clusters, labels)
    _, t = labels.cpu().unique(return_inverse=True)
    c_names, c = clusters.cpu().unique(return_inverse=True)
    pairs, pair_of = (t * len(c_names) + c).unique(return_inverse=True)
    return Table(pair_of, pairs // len(c_names), pairs % len(c_names))


def sentence_numbers(
    labels: Tensor, sentences: Tensor, *, at_least: int
) -> Tensor:
    """Number the sentences of the examples anew, from 0 without gaps."""
    check_numbers("sentences", sentences)
    check_one_for_each("sentences", sentences, labels)
    names, numbers = sentences.cpu().unique(return_inverse=True)
    if len(names) < at_least:
        raise ValueError(
            f"sentences: expected at least {at_least} different sentences, got {len(names)}"
        )
    return numbers


def check_numbers(name: str, numbers: Tensor) -> None:
    """Check one axis of int64 numbers, at least one of them and none negative."""
    check_tensor(name, numbers)
    if numbers.dtype != torch.int64:
        raise TypeError(
            f"{name}: expected dtype torch.int64, got {numbers.dtype}"
        )
    if numbers.dim() != 1 or not len(numbers):
        raise ValueError(
            f"{name}: expected a non-empty axis [example], got {tuple(numbers.shape)}"
        )
    lowest = int(numbers.min())
    if lowest < 0:
        raise ValueError(
            f"{name}: expected numbers of at least 0, got {lowest}"
        )


def check_one_for_each(name: str, numbers: Tensor, labels: Tensor) -> None:
    """Check that there are as many numbers as labels."""
    if len(numbers) != len(labels):
        raise ValueError(
            f"{name}: expected one for each of the {len(labels)} labels, got {len(numbers)}"
        )


def _shuffled(labels: Tensor, generator: torch.Generator) -> Tensor:
    order = torch.randperm(
        len(labels), generator=generator, device=generator.device
    )
    return labels[order.to(labels.device)]


def _information(table: Table, weights: Tensor) -> float:
    """Return I of the table whose pair r was seen ``weights[r]`` times; float64, zeros allowed."""
    labels = torch.bincount(table.label_of, weights=weights)[table.label_of]
    clusters = torch.bincount(table.cluster_of, weights=weights)[
        table.cluster_of
    ]
    seen = weights > 0
    n, total = weights[seen], weights.sum()
    return float(
        (n / total * (n * total / (labels[seen] * clusters[seen])).log()).sum()
    )
