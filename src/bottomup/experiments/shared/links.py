"""Chapter 01: which source words a model reads, against the gold links of the mini-language."""

from collections.abc import Sequence

from bottomup.data.minilang import SentencePair, word_class
from bottomup.metrics import LinkPair, alignment_error_rate, link_accuracy, split_gold

Links = Sequence[set[LinkPair]]
PREDICATES = ("verb", "adjective")


def diagonal(pair: SentencePair) -> set[LinkPair]:
    """Link target position t of n to the source position that lies equally far along."""
    n, m = len(pair.target), len(pair.source)
    return {(target, target * m // n) for target in range(n)}


def agreement(found: Links, pairs: Sequence[SentencePair]) -> dict[str, float]:
    """Compare links with gold ones.

    ``aer`` is the alignment error rate. ``link_accuracy`` is the share of target tokens that read
    a word they come from, ``sure_accuracy`` the same over the tokens with a sure link, and
    ``verb_accuracy`` that over the main verbs of the sentences whose predicate is a verb.
    """
    sure, possible = zip(*(split_gold(pair.links) for pair in pairs), strict=True)
    verbs = [main_verb(pair) for pair in pairs]
    return {
        "aer": alignment_error_rate(found, sure, possible),
        "link_accuracy": link_accuracy(found, possible),
        "sure_accuracy": link_accuracy(found, sure),
        "verb_accuracy": link_accuracy(found, verbs),
    }


def main_verb(pair: SentencePair) -> set[LinkPair]:
    """Return the sure links of the last predicate where it is a verb, else no links.

    Korean puts the main predicate last: after it only endings, auxiliaries and negation follow.
    """
    sure = [link for link in pair.links if link.sure]
    predicates = [link for link in sure if word_class(pair.target[link.target]) in PREDICATES]
    if not predicates:
        return set()
    last = max(link.target for link in predicates)
    if word_class(pair.target[last]) != "verb":
        return set()
    return {(link.target, link.source) for link in sure if link.target == last}
