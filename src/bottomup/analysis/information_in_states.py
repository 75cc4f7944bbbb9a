"""How much states say about a token in a form that clustering can reach."""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor

from bottomup.analysis.clustering import kmeans
from bottomup.analysis.mutual_information import (
    held_out_information,
    information_spread,
    plug_in_information,
    renumbered,
    shuffled_information,
)
from bottomup.analysis.samples import check_numbers, check_vectors
from bottomup.checks import check_integer


class AccessibleInformation(NamedTuple):
    """What clusters of states say about the tokens, in nats.

    `plug_in` is the value in the sample, `shuffled` the same after shuffling
    the tokens, `spread` its standard deviation over drawn sentences; `held_out`
    is the lower bound with `smoothing` pseudo-examples for each cluster, and
    `entropy` the H(T) that no value can exceed. `tokens` counts what was kept.
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
    """Cluster the states of frequent tokens; say how much clusters tell.

    ``I(T; C)``, T the token, ``C = argmin_k ||h - m_k||`` the cluster of its
    state h

    In a network whose states differ for different tokens, the true I(T; h) is
    H(T) at every layer: nothing is lost. The clusters measure what is
    *accessible* to Euclidean distance. An invertible map of h, such as a
    stretch of one axis, can take this number from near H(T) to near 0. So a
    fall from layer to layer is no proof that the layer has forgotten; hold it
    against an untrained network and a linear probe.

    The centres are fitted without the tokens, to states of all three parts of
    the split by sentence. With one seed, layers of equal N share start, split
    and shuffles, and differ by their states alone.

    Args:
        states: one vector h for each token, on any device, without padding.
        tokens: the type of each token, at least 0.
        sentences: the sentence of each token, at least 0.
        clusters: number of clusters.
        types: how many of the most frequent types to keep.
        seed: seed of start, split, shuffles and draws.
        iterations: rounds of k-means.
        chunk: how many states are held against the centres at a time.

    Source: Voita et al. (2019), "The Bottom-up Evolution of Representations in
    the Transformer", mutual information; bound, null and spread are ours.
    Chapter 08 derives it.

    Example:
        >>> tokens = torch.arange(2).repeat(60)
        >>> sentences = torch.arange(120) // 4  # four tokens each
        >>> states = tokens[:, None].float()  # a state tells its token
        >>> found = accessible_information(
        ...     states, tokens, sentences, clusters=2, types=2, seed=0
        ... )
        >>> round(found.plug_in, 3), round(found.entropy, 3)  # log 2
        (0.693, 0.693)
    """
    check_integer("seed", seed, at_least=0, below=2**63)
    check_integer("types", types, at_least=1)
    check_vectors("states", states, "example d_model")
    check_numbers("tokens", tokens, "example", example=len(states))
    check_numbers("sentences", sentences, "example", example=len(states))
    kept = most_frequent(tokens, types)
    T, s = tokens[kept].cpu(), sentences[kept.to(sentences.device)].cpu()
    renumbered(s, at_least=3)  # its check, before the expensive part
    generator = torch.Generator().manual_seed(int(seed))
    points = states if kept.all() else states[kept.to(states.device)]
    C = kmeans(
        points,
        clusters,
        generator=generator,
        iterations=iterations,
        chunk=chunk,
    ).assigned.cpu()
    bound = held_out_information(T, C, s, generator=generator)
    return AccessibleInformation(
        plug_in=plug_in_information(T, C),
        held_out=bound.nats,
        shuffled=shuffled_information(T, C, generator=generator),
        spread=information_spread(T, C, s, generator=generator),
        entropy=bound.entropy,
        smoothing=bound.smoothing,
        tokens=len(T),
    )


def most_frequent(
    labels: Int64[Tensor, " example"], k: int
) -> Bool[Tensor, " example"]:
    """Return which examples have one of the k most frequent labels.

    Of equally frequent labels the smaller number goes first. With k labels or
    fewer, all are kept.

    Args:
        labels: numbers of any size, at least 0.
        k: how many labels to keep.

    Source: Voita et al. (2019), "The Bottom-up Evolution of Representations in
    the Transformer", mutual information. Chapter 08 uses it.
    """
    check_integer("k", k, at_least=1)
    check_numbers("labels", labels, "example")
    names, number_of, counts = labels.unique(
        return_inverse=True, return_counts=True
    )
    first = counts.sort(descending=True, stable=True).indices[:k]
    kept = torch.zeros(len(names), dtype=torch.bool, device=labels.device)
    kept[first] = True
    return kept[number_of]
