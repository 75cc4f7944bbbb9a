"""How much a layer's states say about a token in a form that clustering can reach."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from bottomup.analysis.centring import check_length
from bottomup.analysis.clustering import kmeans
from bottomup.analysis.contingency import (
    Table,
    check_numbers,
    check_one_for_each,
    contingency,
    entropy,
    information_spread,
    plug_in_information,
    sentence_numbers,
    shuffled_information,
)
from bottomup.checks import (
    check_axes,
    check_generator,
    check_integer,
    check_number,
)

# Pseudo-examples that each cluster is given: half-decades from a hundredth to a hundred thousand.
SMOOTHINGS = tuple(10.0 ** (power / 2) for power in range(-4, 11))
FIT, TUNE, TEST = 0, 1, 2


class HeldOutInformation(NamedTuple):
    """A lower bound on I(T; C) in nats, the smoothing that was chosen, and the H(T) it stands on.

    `entropy` is in nats, `smoothing` in pseudo-examples for each cluster.
    """

    nats: float
    smoothing: float
    entropy: float


class AccessibleInformation(NamedTuple):
    """What clusters of states say about the tokens, all in nats but `smoothing` and `tokens`.

    `plug_in` is the value in the sample, `shuffled` the same after shuffling the tokens, `spread`
    its standard deviation over drawn sentences; `held_out` is the lower bound with `smoothing`
    pseudo-examples for each cluster, and `entropy` the H(T) that no value can exceed. `tokens` is
    the number of tokens that were kept.
    """

    plug_in: float
    held_out: float
    shuffled: float
    spread: float
    entropy: float
    smoothing: float
    tokens: int


def accessible_information(
    states: Float[Tensor, "example d_model"],
    tokens: Int64[Tensor, " example"],
    sentences: Int64[Tensor, " example"],
    *,
    clusters: int,
    types: int,
    seed: int,
    iterations: int = 5,
    chunk: int = 4096,
) -> AccessibleInformation:
    """Cluster the states of the most frequent tokens and say how much the clusters tell of them.

    ``I(T; C)``, T the token, ``C = argmin_k ||h - m_k||`` the cluster of its state h

    In a network without randomness whose states differ for different tokens, the true I(T; h) is
    H(T) at every layer: nothing is lost. The clusters measure what is *accessible* to Euclidean
    distance. An invertible map of h, such as a stretch of one axis, can take this number from
    near H(T) to near 0. So a fall from layer to layer is no proof that the layer has forgotten;
    hold it against the same curve of an untrained network and against a linear probe.

    The centres are fitted without the tokens, to states of all three parts of the split by
    sentence; only the counts of the bound are kept apart. With one seed, layers of equal N share
    start, split and shuffles, and differ by their states alone.

    Args:
        states: one vector h for each token, on any device; padding left out.
        tokens: the type of each token, at least 0.
        sentences: the number of the sentence of each token, at least 0.
        clusters: number of clusters.
        types: how many of the most frequent types to keep, as `most_frequent` does.
        seed: seed of start, split, shuffles and draws.
        iterations: rounds of k-means.
        chunk: how many states are held against the centres at a time.

    Source: Voita et al. (2019), "The Bottom-up Evolution of Representations in the Transformer",
    mutual information; bound, null and spread are ours. Chapter 08 derives it.
    """
    check_integer("seed", seed, at_least=0)
    check_axes("states", states, "example d_model")
    check_numbers("tokens", tokens)
    check_numbers("sentences", sentences)
    check_length("tokens", tokens, states)
    check_length("sentences", sentences, states)
    kept = most_frequent(tokens, types)
    labels, groups = (
        tokens[kept].cpu(),
        sentences[kept.to(sentences.device)].cpu(),
    )
    sentence_numbers(labels, groups, at_least=3)  # before the expensive part
    generator = torch.Generator().manual_seed(seed)
    points = states if kept.all() else states[kept.to(states.device)]
    c = kmeans(
        points,
        clusters,
        generator=generator,
        iterations=iterations,
        chunk=chunk,
    ).assigned.cpu()
    bound = held_out_information(labels, c, groups, generator=generator)
    return AccessibleInformation(
        plug_in=plug_in_information(labels, c),
        held_out=bound.nats,
        shuffled=shuffled_information(labels, c, generator=generator),
        spread=information_spread(labels, c, groups, generator=generator),
        entropy=bound.entropy,
        smoothing=bound.smoothing,
        tokens=len(labels),
    )


def held_out_information(
    labels: Int64[Tensor, " example"],
    clusters: Int64[Tensor, " example"],
    sentences: Int64[Tensor, " example"],
    *,
    generator: torch.Generator,
    true_entropy: float | None = None,
    smoothings: Sequence[float] = SMOOTHINGS,
) -> HeldOutInformation:
    """Bound the mutual information from below by predicting labels of sentences not yet seen.

    ``I(T; C) >= H(T) - CE(T | C)``, ``CE(T | C) = -mean over test examples of log q(t | c)``

    ``q(t | c) = (n(t, c) + s q(t)) / (n(c) + s)``, ``q(t) = (n(t) + 1) / (n + types)``

    The counts n come from the first part of the sentences, the smoothing s is the one with the
    lowest cross-entropy on the second part, the examples of CE are those of the third;
    `split_by_sentence` makes the parts. s is a number of pseudo-examples that each cluster is given
    in the proportions q(t): with a large s the prediction ignores the cluster.

    Any q gives a cross-entropy of at least H(T | C) on average, hence the bound. It needs the
    *true* H(T) of the distribution that the sentences come from. Where that is not known, the
    entropy of all the labels stands in; it is too small on average, so the bound only becomes
    lower. The cross-entropy of q(t) would be too large, and would lift the difference above I.
    The value varies with the test part, can exceed I(T; C) by chance, and can be negative.

    Args:
        labels: t of each example, at least 0.
        clusters: c of each example, at least 0, found without a look at the labels.
        sentences: the number of the sentence each example stands in, at least 0.
        generator: draws the split.
        true_entropy: H(T) in nats, where the distribution of the labels is known.
        smoothings: the values of s to choose from, each above 0.

    Source: the variational bound of Barber and Agakov (2003). Chapter 08 derives it.
    """
    if true_entropy is not None:
        check_number("true_entropy", true_entropy, at_least=0, below=torch.inf)
    if not len(smoothings):
        raise ValueError("smoothings: expected at least one value, got none")
    for smoothing in smoothings:
        check_number("smoothings", smoothing, above=0, below=torch.inf)
    table = contingency(labels, clusters)
    parts = split_by_sentence(sentences, generator=generator)
    check_one_for_each("sentences", sentences, labels)
    tuned = [
        _cross_entropy(table, parts, TUNE, smoothing)
        for smoothing in smoothings
    ]
    chosen = float(smoothings[tuned.index(min(tuned))])
    known = entropy(labels) if true_entropy is None else float(true_entropy)
    return HeldOutInformation(
        known - _cross_entropy(table, parts, TEST, chosen), chosen, known
    )


def split_by_sentence(
    sentences: Int64[Tensor, " example"], *, generator: torch.Generator
) -> Int64[Tensor, " example"]:
    """Return the part of each example on the CPU: 0 to count, 1 to tune, 2 to test.

    Half of the sentences, drawn at random, go to part 0, a quarter each to the others, rounded
    down for the first two. A sentence lies in one part with all its examples.

    Args:
        sentences: the number of the sentence each example stands in, at least 0.
        generator: draws the order of the sentences.

    Chapter 08 uses it.
    """
    check_generator("generator", generator)
    numbers = sentence_numbers(sentences, sentences, at_least=3)
    count = int(numbers.max()) + 1
    order = torch.randperm(
        count, generator=generator, device=generator.device
    ).cpu()
    fit = count // 2
    part = torch.full((count,), TEST)
    part[order[:fit]] = FIT
    part[order[fit : fit + (count - fit) // 2]] = TUNE
    return part[numbers]


def most_frequent(
    labels: Int64[Tensor, " example"], k: int
) -> Bool[Tensor, " example"]:
    """Return which examples have one of the k most frequent labels.

    Of equally frequent labels the smaller number goes first. With k labels or fewer, all are kept.

    Args:
        labels: numbers of any size, at least 0.
        k: how many labels to keep.

    Source: Voita et al. (2019), "The Bottom-up Evolution of Representations in the Transformer",
    mutual information, measured on the most frequent tokens. Chapter 08 uses it.
    """
    check_integer("k", k, at_least=1)
    check_numbers("labels", labels)
    names, numbers, counts = labels.unique(
        return_inverse=True, return_counts=True
    )
    kept = torch.zeros(len(names), dtype=torch.bool, device=labels.device)
    kept[counts.sort(descending=True, stable=True).indices[:k]] = True
    return kept[numbers]


def _cross_entropy(
    table: Table, parts: Tensor, part: int, smoothing: float
) -> float:
    pairs = table.pair_of
    joint = torch.bincount(
        pairs[parts == FIT], minlength=len(table.label_of)
    ).double()
    n_label = torch.bincount(table.label_of, weights=joint)
    n_cluster = torch.bincount(table.cluster_of, weights=joint)
    background = (n_label + 1) / (n_label.sum() + len(n_label))
    prior = smoothing * background[table.label_of]
    q = (joint + prior) / (
        n_cluster[table.cluster_of] + smoothing
    )  # q(t | c) of each pair
    return float(-q[pairs[parts == part]].log().mean())
