"""What the parts of a sentence share while it is drawn."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from bottomup.data.minilang.draw import Draw
from bottomup.data.minilang.habits import OUR
from bottomup.data.minilang.modifiers import Adjective
from bottomup.data.minilang.nouns import NOUNS, Noun
from bottomup.data.minilang.phrases import NounPhrase, personal
from bottomup.data.minilang.topics import adjectives_of, reasons_of

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

    def adjective(self, noun: Noun, barred: Sequence[str] = ()) -> Adjective | None:
        """Sometimes an adjective that can stand before the noun; none of those `barred`."""
        fitting = [a for a in adjectives_of(noun) if a.english not in barred]
        return self.draw.zipf(fitting) if fitting and self.optional(0.3) else None

    def speaker(self) -> NounPhrase:
        """ "i" or "we", humble in the polite style."""
        if self.draw.chance(0.75):
            return personal("i", "저" if self.polite else "나")
        return personal("we", "저희" if self.polite else "우리")

    def partner(self) -> NounPhrase:
        """ "you", "i" or "we"; never "you" in the polite style, which has no such word."""
        if not self.polite and self.draw.chance(0.3):
            return personal("you", "너")
        return self.speaker()

    def possessive(self, noun: Noun) -> str:
        """The Korean "my": 우리 for family and home."""
        ours = noun.english in OUR
        return ("저희" if ours else "제") if self.polite else "우리" if ours else "내"

    def ambiguous(self, phrase: NounPhrase, adjective: Adjective) -> bool:
        """Whether "because it was cold" could speak of another noun of the sentence."""
        own = {phrase.head.text} if phrase.relative else {word.text for word in phrase.words}
        others = [NOUNS[name] for name in self.used]
        return any(
            reasons_of(noun, (adjective.english,))
            for noun in others
            if not own & {noun.english, noun.plural} and _may_be(noun, phrase.pronoun)
        )


def _may_be(noun: Noun, pronoun: str) -> bool:
    """Whether the pronoun could stand for the noun; "they" could for any."""
    return pronoun == "they" or noun.pronoun == pronoun or (noun.pronoun == "" and pronoun != "it")
