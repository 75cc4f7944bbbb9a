"""The corpus: distinct sentence pairs with gold links, split into train, validation and test."""

from functools import cache
from typing import NamedTuple

from bottomup.checks import check_integer
from bottomup.data.minilang.glosses import gloss
from bottomup.data.minilang.grammar.clauses import Draft
from bottomup.data.minilang.sentences.draw import Draw
from bottomup.data.minilang.sentences.kinds import draft
from bottomup.data.minilang.sentences.writer import NoSentenceError

SHORTEST, LONGEST = 4, 20
LARGEST = 200_000


class Link(NamedTuple):
    """A gold link between a target position and a source position; `sure` or only possible."""

    target: int
    source: int
    sure: bool


class SentencePair(NamedTuple):
    """An English sentence, its Korean translation and the gold links between their tokens.

    `antecedents` holds, for each pronoun that stands for a noun of the sentence, the source
    position of the pronoun and the source position of that noun.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    links: tuple[Link, ...]
    antecedents: tuple[tuple[int, int], ...] = ()

    @property
    def glosses(self) -> tuple[str, ...]:
        """The gloss of each target token in the sense it has here, "write" or "wear" for "쓰"."""
        words: list[list[str]] = [[] for _ in self.target]
        for link in self.links:
            words[link.target].append(self.source[link.source])
        return tuple(map(gloss, self.target, words))


class Corpus(NamedTuple):
    """Three disjoint parts of one corpus."""

    train: tuple[SentencePair, ...]
    validation: tuple[SentencePair, ...]
    test: tuple[SentencePair, ...]


def load(size: int = 60_000, seed: int = 0) -> Corpus:
    """Generate the corpus: `size` pairs with distinct sources, 90 % train, 5 % validation, 5 %
    test.

    The result depends on `size` and `seed` alone, not on the machine or the version of Python.
    Nothing is cached: 60,000 pairs take a few seconds and some hundred megabytes, which a caller
    may want back.
    """
    check_integer("size", size, at_least=20)
    check_integer("seed", seed, at_least=0, below=2**63)
    if size > LARGEST:
        raise ValueError(f"size: expected at most {LARGEST}, got {size}")
    size = int(size)
    pairs = _distinct_pairs(size, Draw(int(seed)))
    held_out = size // 20
    first = size - 2 * held_out
    return Corpus(
        tuple(pairs[:first]), tuple(pairs[first : first + held_out]), tuple(pairs[-held_out:])
    )


def _distinct_pairs(size: int, draw: Draw) -> list[SentencePair]:
    seen: set[tuple[str, ...]] = set()
    pairs: list[SentencePair] = []
    while len(pairs) < size:
        try:
            made = draft(draw)
        except NoSentenceError:
            continue
        if not SHORTEST <= len(made.words) <= LONGEST:
            continue
        source = tuple([word.text for word in made.words])
        if source not in seen:
            seen.add(source)
            pairs.append(_pair(source, made))
    draw.shuffle(pairs)
    return pairs


def _pair(source: tuple[str, ...], made: Draft) -> SentencePair:
    place = {word: position for position, word in enumerate(made.words)}
    links: list[Link] = []
    for target, piece in enumerate(made.pieces):
        sources = {place[word]: True for word in piece.sure}
        for word in piece.possible:
            sources.setdefault(place[word], False)
        links += [_link(target, position, sources[position]) for position in sorted(sources)]
    antecedents = tuple((place[pronoun], place[noun]) for pronoun, noun in made.antecedents)
    return SentencePair(source, tuple([p.token for p in made.pieces]), tuple(links), antecedents)


@cache
def _link(target: int, source: int, sure: bool) -> Link:
    return Link(target, source, sure)
