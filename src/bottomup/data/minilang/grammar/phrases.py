"""Noun phrases in both languages at once.

A `Word` is one English token in its place: a Korean `Piece` points to the very objects it
translates, so that pieces can be reordered freely and the positions are read off at the end.
"""

from dataclasses import dataclass
from typing import NamedTuple

from bottomup.data.minilang.grammar.conjugation import ADNOMINAL, PRESENT
from bottomup.data.minilang.grammar.particles import PLURAL, particle
from bottomup.data.minilang.lexicon.modifiers import NUMERALS, Adjective
from bottomup.data.minilang.lexicon.nouns import Noun


class Word:
    """One English token. Two words are the same only if they are the same object."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class Piece(NamedTuple):
    """One Korean token with the English words it is linked to, surely and possibly."""

    token: str
    sure: tuple[Word, ...]
    possible: tuple[Word, ...] = ()


@dataclass(slots=True)
class NounPhrase:
    """A noun phrase: English words, Korean pieces without particle, and what agreement needs.

    Attributes:
        head: the English noun or pronoun.
        cues: the words that a particle comes from (the article and the head).
        person: "i", "plural" or "third", for the English verb.
        definite: a subject takes 은/는 if True and 이/가 if False.
        honorific: takes honorific particles and an honorific verb.
        relative: ends in a relative clause; `described`: has an adjective.
        pronoun: what can stand for it later in the sentence ("he", "she", "it", "they" or "").
    """

    words: list[Word]
    pieces: list[Piece]
    head: Word
    cues: tuple[Word, ...]
    person: str
    definite: bool
    honorific: bool
    pronoun: str
    noun: Noun | None = None
    relative: bool = False
    described: bool = False

    def marked(self, role: str, *more: Word) -> list[Piece]:
        """The pieces with the particle for `role`; `more` are further words it comes from."""
        token = particle(role, self.pieces[-1].token, honorific=self.honorific)
        return [*self.pieces, Piece(token, (), (*more, *self.cues))]


def personal(english: str, korean: str) -> NounPhrase:
    """A personal pronoun: "i", "you" or "we"."""
    word = Word(english)
    person = "i" if english == "i" else "plural"
    return NounPhrase([word], [Piece(korean, (word,))], word, (word,), person, True, False, "")


def noun_phrase(
    noun: Noun, determiner: str, *,
    adjective: Adjective | None = None, plural: bool = False, my: str = "",
    relative: tuple[list[Word], list[Piece]] | None = None,
) -> NounPhrase:  # fmt: skip
    """Build a noun phrase.

    `determiner` is "the", "a", "this", "my", a numeral of `NUMERALS`, or "" for none. A numeral
    makes a plural and puts a classifier behind the noun: 책 세 권. `my` is "my" in Korean,
    `relative` a relative clause, behind the noun in English, before it in Korean.
    """
    counted = determiner in NUMERALS
    head = Word(noun.plural if counted or plural else noun.english)
    shown = [Word(adjective.english)] if adjective else []
    if determiner == "a" and (shown or [head])[0].text[0] in "aeiou":
        determiner = "an"  # the lexicon has no "hour" and no "university"
    opening = [Word(determiner)] if determiner else []
    words = [*opening, *shown, head]
    pieces: list[Piece] = []
    if relative:
        words += relative[0]
        pieces += relative[1]
    if determiner in ("this", "my"):
        pieces.append(Piece("이" if determiner == "this" else my, (opening[0],)))
    if adjective:
        present = [Piece(PRESENT, (), (shown[0],))] if adjective.kind == "exist" else []
        ending = Piece(ADNOMINAL, (), (shown[0],))
        pieces += [Piece(adjective.stem, (shown[0],)), *present, ending]
    pieces.append(Piece(noun.korean, (head,)))
    if plural and not counted:
        pieces.append(Piece(PLURAL, (), (head,)))
    if counted:
        pieces.append(Piece(NUMERALS[determiner], (opening[0],)))
        pieces.append(Piece(f"-{noun.classifier}", (), (head, opening[0])))
    many = counted or plural or noun.pronoun == "they"
    return NounPhrase(
        words, pieces, head, (*opening, head), "plural" if many else "third",
        determiner in ("", "the", "this", "my"), noun.honorific, "they" if many else noun.pronoun,
        noun, relative is not None, adjective is not None,
    )  # fmt: skip


def coordinated(left: NounPhrase, right: NounPhrase) -> NounPhrase:
    """ "the man and the woman": 남자와 여자. The particle of the whole follows the right part."""
    link = Word("and")
    return NounPhrase(
        [*left.words, link, *right.words], [*left.marked("with", link), *right.pieces],
        right.head, (*right.cues,), "plural", right.definite, right.honorific, "they",
        right.noun,
    )  # fmt: skip
