"""One clause in both languages: who does what, where, when, with what."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from bottomup.data.minilang.grammar.phrases import NounPhrase, Piece, Word
from bottomup.data.minilang.grammar.verb_phrases import Predicate, realise


@dataclass(slots=True)
class Clause:
    """The parts of a clause.

    English order: time, subject, auxiliary, frequency, verb, rest. Korean order: time, subject,
    setting (time, frequency, company, place, tool, receiver), object, manner, verb.
    """

    predicate: Predicate
    subject: NounPhrase | None = None
    object: NounPhrase | None = None
    opening: list[Word] = field(default_factory=list)
    opening_pieces: list[Piece] = field(default_factory=list)
    frequency: list[Word] = field(default_factory=list)
    rest: list[Word] = field(default_factory=list)
    setting: list[Piece] = field(default_factory=list)
    object_pieces: list[Piece] = field(default_factory=list)
    manner: list[Piece] = field(default_factory=list)

    @property
    def words(self) -> list[Word]:
        """The English clause, without the conjunction before it."""
        subject = self.subject.words if self.subject else []
        predicate = self.predicate
        verb = [*predicate.auxiliary, *self.frequency, *predicate.verb]
        return [*self.opening, *subject, *verb, *self.rest]

    def subject_pieces(self, *, topic: bool) -> list[Piece]:
        """The Korean subject with 은/는 (a definite one in a main clause) or 이/가."""
        if self.subject is None:
            return []
        return self.subject.marked("topic" if topic and self.subject.definite else "subject")

    def verb_pieces(
        self, mode: str, connective: tuple[Word, ...], *, drop_object: bool = False
    ) -> list[Piece]:
        """Everything behind the Korean subject."""
        shown = [] if drop_object else self.object_pieces
        return [*self.setting, *shown, *self.manner, *realise(self.predicate, mode, connective)]

    def pieces(self, mode: str, connective: tuple[Word, ...], *, topic: bool = True) -> list[Piece]:
        """The whole Korean clause."""
        subject = self.subject_pieces(topic=topic)
        return [*self.opening_pieces, *subject, *self.verb_pieces(mode, connective)]


class Draft(NamedTuple):
    """A sentence before positions are counted: words, pieces, and (pronoun, antecedent) pairs."""

    words: list[Word]
    pieces: list[Piece]
    antecedents: Sequence[tuple[Word, Word]] = ()


def is_relative(phrase: NounPhrase | None) -> bool:
    """Whether the phrase ends in a relative clause."""
    return phrase is not None and phrase.relative
