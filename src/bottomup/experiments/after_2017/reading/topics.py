"""Chapter 10: sentences of the mini-language whose topic is known, for a task with few labels."""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from bottomup.data.minilang.corpus import LONGEST, SHORTEST
from bottomup.data.minilang.lexicon.topics import TOPICS
from bottomup.data.minilang.sentences.draw import Draw
from bottomup.data.minilang.sentences.kinds import draft
from bottomup.data.minilang.sentences.writer import NoSentenceError

T = TypeVar("T")


class Labelled(NamedTuple):
    """A sentence and the number of its topic."""

    words: tuple[str, ...]
    topic: int


class OnTopic(Draw):
    """A stream of choices in which the topic is given."""

    def __init__(self, seed: int, topic: str) -> None:
        super().__init__(seed)
        self._topic = topic

    def pick(self, items: Sequence[T]) -> T:
        """Return the topic where topics are asked for, else one of the items."""
        return items[TOPICS.index(self._topic)] if items is TOPICS else super().pick(items)


def labelled_sentences(each: int, seed: int) -> list[Labelled]:
    """Return so many different sentences of each of the ten topics, one topic after the other."""
    found = []
    for number, topic in enumerate(TOPICS):
        draw, seen = OnTopic(1_000 * seed + number, topic), dict[tuple[str, ...], None]()
        while len(seen) < each:
            try:
                words = tuple(word.text for word in draft(draw).words)
            except NoSentenceError:
                continue
            if SHORTEST <= len(words) <= LONGEST:
                seen.setdefault(words)
        found += [Labelled(words, number) for words in seen]
    return found
