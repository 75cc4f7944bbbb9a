"""Chapter 09: minimal pairs, two sentences of the mini-language that differ in one word."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from bottomup.data import minilang
from bottomup.data.minilang import SentencePair, word_class

KINDS = (
    "subject",
    "object",
    "place",
    "verb",
    "adjective",
    "tense",
    "verb_tense",
    "negation",
    "article",
    "plural",
)
OBJECT, PLACE = {"-을", "-를"}, {"-에", "-에서"}
TOPIC, SUBJECT = {"-은", "-는", "-께서는"}, {"-이", "-가", "-께서"}
TENSES = ({"is", "was"}, {"are", "were"})
NEGATIONS = ({"not", "very"}, {"not", "really"})
PAST, PLURAL = "-었", "-들"


class MinimalPair(NamedTuple):
    """Two sentences that differ in one word, with their translations.

    Attributes:
        kind: what the words differ in, one of `KINDS`.
        clean, corrupted: the sentences.
        word: position of the word in which the sources differ.
        token: first position at which the targets differ: the tokens before it are the same.
    """

    kind: str
    clean: SentencePair
    corrupted: SentencePair
    word: int
    token: int

    @property
    def answers(self) -> tuple[str, str]:
        """The tokens in which the targets first differ, the clean one first."""
        return self.clean.target[self.token], self.corrupted.target[self.token]


@lru_cache(maxsize=1)
def draw(size: int, seed: int, each: int) -> tuple[MinimalPair, ...]:
    """Draw minimal pairs of each kind from sentences that no translator was trained on.

    Args:
        size: of the corpus that is trained on, whose seed is 0, and of the one that is drawn from.
        seed: of the second corpus and of the choice.
        each: pairs of each kind, fewer where there are fewer; no sentence is in two of them.
    """
    trained = {pair.source for pair in minilang.load(size, seed=0).train}
    fresh = (pair for part in minilang.load(size, seed=seed) for pair in part)
    found = list(minimal_pairs(pair for pair in fresh if pair.source not in trained))
    order = np.random.default_rng(seed).permutation(len(found))
    chosen: dict[str, list[MinimalPair]] = {kind: [] for kind in KINDS}
    used: set[tuple[str, ...]] = set()
    for number in order:
        pair = found[number]
        sources = {pair.clean.source, pair.corrupted.source}
        if len(chosen[pair.kind]) < each and not sources & used:
            chosen[pair.kind].append(pair)
            used |= sources
    return tuple(pair for kind in KINDS for pair in chosen[kind])


def minimal_pairs(sentences: Iterable[SentencePair]) -> Iterator[MinimalPair]:
    """Yield the pairs of sentences that differ in one word and are of one of the kinds.

    Which of the two is clean changes from pair to pair.
    """
    alike: dict[tuple[tuple[str, ...], tuple[str, ...]], list[SentencePair]] = defaultdict(list)
    for sentence in sentences:
        words = sentence.source
        for place in range(len(words)):
            alike[words[:place], words[place + 1 :]].append(sentence)
    count = 0
    for (before, _behind), group in alike.items():
        for number, one in enumerate(group):
            for other in group[number + 1 :]:
                count += 1
                clean, corrupted = (one, other) if count % 2 else (other, one)
                token = _first_difference(clean.target, corrupted.target)
                if token is None:
                    continue
                kind = kind_of(clean, corrupted, len(before), token)
                if kind is not None:
                    yield MinimalPair(kind, clean, corrupted, len(before), token)


def kind_of(one: SentencePair, other: SentencePair, word: int, token: int) -> str | None:
    """Say what two sentences differ in; None where it is none of the kinds.

    - ``subject``, ``object``, ``place``: two nouns; the subject begins both translations, an object
      takes 을 or 를, a place 에 or 에서.
    - ``verb``, ``adjective``: two stems.
    - ``tense``: is and was, are and were; ``verb_tense``: two forms of a verb; the past has 었.
    - ``negation``: not against very or really.
    - ``article``: a and the before a subject, which give 이/가 and 은/는.
    - ``plural``: a noun with and without 들.
    """
    words = {one.source[word], other.source[word]}
    tokens = one.target[token], other.target[token]
    classes = {word_class(each) for each in tokens}
    stems = {_stem_class(sentence, word) for sentence in (one, other)}
    following = {_at(one.target, token + 1), _at(other.target, token + 1)}
    if words in NEGATIONS:
        return "negation"
    if PAST in tokens:
        if words in TENSES:
            return "tense"
        return "verb_tense" if stems == {"verb"} and _same_stem(one, other, word) else None
    if words == {"a", "the"} and len({tokens[0], tokens[1]} & TOPIC) == 1:
        return "article" if len({tokens[0], tokens[1]} & SUBJECT) == 1 else None
    if stems == classes and len(classes) == 1:
        (only,) = classes
        if only in ("verb", "adjective"):
            return only
        if only == "noun" and word == 1 and token == 0:
            return "subject"
        if only == "noun" and following <= OBJECT:
            return "object"
        return "place" if only == "noun" and following <= PLACE else None
    return "plural" if stems == {"noun"} and PLURAL in tokens else None


def _first_difference(one: Sequence[str], other: Sequence[str]) -> int | None:
    """Return the first position with two different tokens; None where one target ends there."""
    places = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in places if a != b), None)


def _stem_class(sentence: SentencePair, word: int) -> str | None:
    """Return the class of the token that a source word is surely linked to; None without one."""
    linked = [link.target for link in sentence.links if link.source == word and link.sure]
    return word_class(sentence.target[linked[0]]) if linked else None


def _same_stem(one: SentencePair, other: SentencePair, word: int) -> bool:
    stems = [
        {s.target[link.target] for link in s.links if link.source == word and link.sure}
        for s in (one, other)
    ]
    return stems[0] == stems[1]


def _at(tokens: Sequence[str], place: int) -> str:
    return tokens[place] if place < len(tokens) else ""
