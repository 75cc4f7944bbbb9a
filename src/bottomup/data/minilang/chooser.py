"""What the parts of a sentence share while it is drawn."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from bottomup.data.minilang.draw import Draw
from bottomup.data.minilang.modifiers import Adjective
from bottomup.data.minilang.nouns import NOUNS, Noun
from bottomup.data.minilang.phrases import NounPhrase
from bottomup.data.minilang.topics import adjectives_of

T = TypeVar("T")


class NoSentenceError(Exception):
    """The choices made so far cannot be completed; the caller draws again."""


class Chooser:
    """Draws the words of one sentence and remembers its nouns.

    Args:
        draw: the random choices.
        topic: one of `topics.TOPICS`.
        polite: whether the sentence is spoken to somebody in the polite style.
        richness: how likely each optional part is, a factor from 0 to 2.4 that spreads the
            lengths.
    """

    def __init__(self, draw: Draw, topic: str, *, polite: bool, richness: float) -> None:
        self.draw = draw
        self.topic = topic
        self.polite = polite
        self.richness = richness
        self.used: set[str] = set()

    def optional(self, probability: float) -> bool:
        """Whether to add an optional part."""
        return self.draw.chance(probability * self.richness)

    def choose(self, items: Sequence[T]) -> T:
        """One of the items by Zipf's law. Raises `NoSentenceError` if there is none."""
        if not items:
            raise NoSentenceError
        return self.draw.zipf(items)

    def fresh(self, nouns: Iterable[Noun]) -> Noun:
        """A noun that this sentence does not have yet."""
        left = [noun for noun in nouns if noun.english not in self.used]
        noun = self.choose(left)
        self.used.add(noun.english)
        return noun

    def adjective(self, noun: Noun) -> Adjective | None:
        """Sometimes an adjective that can stand before the noun."""
        fitting = adjectives_of(noun)
        return self.draw.zipf(fitting) if fitting and self.optional(0.3) else None

    def ambiguous(self, phrase: NounPhrase) -> bool:
        """Whether "he" or "she" could stand for another person of the sentence."""
        same = [name for name in self.used if NOUNS[name].pronoun == phrase.pronoun]
        return phrase.pronoun in ("he", "she") and len(same) > 1
