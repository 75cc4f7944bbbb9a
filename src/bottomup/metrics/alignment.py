"""Word alignment: how well links between target and source positions agree with gold links.

A link is ``(target position, source position)``, both counted from 0. The links of one sentence
are a set; every function takes one set a sentence, and counts over all sentences together (micro
average). Chapter 01 derives the error rate.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol, runtime_checkable

from jaxtyping import Float
from torch import Tensor

from bottomup.checks import check_integer, checked

LinkPair = tuple[int, int]
Links = Sequence[Collection[LinkPair]]


@runtime_checkable
class GoldLink(Protocol):
    """A gold link of a data set, such as the mini-language's."""

    @property
    def target(self) -> int:
        """Position in the target."""

    @property
    def source(self) -> int:
        """Position in the source."""

    @property
    def sure(self) -> bool:
        """True for a sure link, False for one that is only possible."""


def split_gold(links: Iterable[GoldLink]) -> tuple[set[LinkPair], set[LinkPair]]:
    """Return the sure links and the possible ones of a sentence; each sure link is possible too.

    Chapter 01 uses it.

    Example:
        >>> from bottomup.data.minilang import Link
        >>> sure, possible = split_gold([Link(0, 0, True), Link(1, 0, False)])
        >>> sorted(sure), sorted(possible)
        ([(0, 0)], [(0, 0), (1, 0)])
    """
    listed = list(links)
    possible = {(link.target, link.source) for link in listed}
    return {(link.target, link.source) for link in listed if link.sure}, possible


@checked
def links_from_weights(weights: Float[Tensor, "*target source"]) -> set[LinkPair]:
    """Link each target position to the source position with the largest weight.

    ``A = {(t, argmax over s of weights[t, s])}``, the first of equal weights.

    A row of zeros, where no source position was allowed, gives no link. Slice off what is no word
    (padding, the end token) before: ``weights[:n_target, :n_source]``. A target word that mostly
    reads the end token is then linked to the word it reads most.

    Args:
        weights: one row for each target position, of which there may be none.

    Chapter 01 uses it.

    Example:
        >>> sorted(links_from_weights(torch.tensor([[0.1, 0.9], [0.8, 0.2]])))
        [(0, 1), (1, 0)]
    """
    if weights.dim() != 2:
        shape = tuple(weights.shape)
        raise ValueError(f"weights: expected axes [target, source], got shape {shape}")
    if not bool((weights >= 0).all()):
        raise ValueError("weights: expected weights of at least 0, got a negative one or NaN")
    largest, best = weights.detach().max(dim=1)  # [target]
    rows = zip(largest.tolist(), best.tolist(), strict=True)
    return {(target, source) for target, (weight, source) in enumerate(rows) if weight > 0}


def alignment_error_rate(links: Links, sure: Links, possible: Links) -> float:
    """Alignment error rate, from 0 (best) to 1.

    ``AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|)``

    A are the links to judge, S the sure and P the possible gold links, S a subset of P. A link
    outside P is wrong, a sure link not found is missing, and a possible link costs nothing either
    way. Without sure links the rate is one minus the precision; without any link to judge it is 1.

    Args:
        links: for each sentence the set A of ``(target, source)`` pairs.
        sure: for each sentence the set S.
        possible: for each sentence the set P.

    Source: Och and Ney (2003).

    Example:
        >>> gold = [{(0, 0)}]  # one sentence, one sure link
        >>> found = [{(0, 0), (1, 2)}]
        >>> round(alignment_error_rate(found, sure=gold, possible=gold), 3)  # 1 - 2/3
        0.333
    """
    A, S, P = _link_sets(links=links, sure=sure, possible=possible)
    for number, (s, p) in enumerate(zip(S, P, strict=True)):
        if not s <= p:
            raise ValueError(
                f"sure[{number}]: expected only links that are possible too, got {min(s - p)}; "
                "are `sure` and `possible` swapped?"
            )
    total = sum(map(len, A)) + sum(map(len, S))
    if total == 0:
        raise ValueError("links, sure: expected at least one link, got none: the rate is 0 / 0")
    return 1 - (_overlap(A, S) + _overlap(A, P)) / total


def link_accuracy(links: Links, gold: Links) -> float:
    """Share of target positions whose link is a gold link, from 0 to 1 (best).

    ``|{t with gold : (t, s) in A and in G}| / |{t with gold}|``

    Only target positions with at least one gold link count. A position without a link in A counts
    as wrong. Where a position has several gold links, one of them is enough.

    Args:
        links: for each sentence the set A, at most one link a target position
            (`links_from_weights`).
        gold: for each sentence the set G, such as the possible links.

    Chapter 01 uses it.

    Example:
        >>> link_accuracy([{(0, 0), (1, 2)}], gold=[{(0, 0), (1, 1)}])
        0.5
    """
    A, G = _link_sets(links=links, gold=gold)
    for number, sentence in enumerate(A):
        if len({target for target, _ in sentence}) < len(sentence):
            raise ValueError(f"links[{number}]: expected at most one link a target position")
    with_gold = sum(len({target for target, _ in sentence}) for sentence in G)
    if with_gold == 0:
        raise ValueError("gold: expected at least one gold link, got none")
    return _overlap(A, G) / with_gold


def _link_sets(**arguments: Links) -> list[list[set[LinkPair]]]:
    sizes = {name: len(sentences) for name, sentences in arguments.items()}
    if len(set(sizes.values())) > 1 or 0 in sizes.values():
        raise ValueError(
            f"{', '.join(sizes)}: expected the same number of sentences, at least one, "
            f"got {', '.join(map(str, sizes.values()))}"
        )
    return [
        [_link_set(f"{name}[{number}]", sentence) for number, sentence in enumerate(sentences)]
        for name, sentences in arguments.items()
    ]


def _link_set(name: str, links: object) -> set[LinkPair]:
    if not isinstance(links, Collection):
        raise TypeError(f"{name}: expected a set of pairs (target, source), got {links!r}")
    for link in links:
        if not isinstance(link, tuple) or len(link) != 2:
            raise TypeError(f"{name}: expected pairs (target, source), got {link!r}")
        for position in link:
            check_integer(name, position, at_least=0)
    return set(links)


def _overlap(A: list[set[LinkPair]], B: list[set[LinkPair]]) -> int:
    return sum(len(a & b) for a, b in zip(A, B, strict=True))
