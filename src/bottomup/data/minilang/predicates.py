"""What is said of a subject, in English and Korean: the verb of a sense, or an adjective."""

from bottomup.data.minilang.modifiers import Adjective
from bottomup.data.minilang.phrases import Piece, Word
from bottomup.data.minilang.senses import Sense
from bottomup.data.minilang.verb_phrases import Predicate, english_be, english_verb


def predicate(
    sense: Sense, tense: str, person: str, honorific: bool, *, negated: bool = False
) -> Predicate:
    """The verb of a sense, in English and Korean."""
    auxiliary, verb = english_verb(sense.verb, tense, person, negated)
    words = [Word(text) for text in auxiliary]
    main = Word(verb)
    stem, kind = sense.stem, sense.predicate
    lexical = honorific and sense.honorific != ""
    stem = sense.honorific if lexical else stem
    if negated and sense.negative:
        refusal = tuple(word for word in words if word.text == "not")
        piece = Piece(sense.negative, (main, *refusal))
        return Predicate(words, [main], piece, kind, tense, False, honorific)
    return Predicate(
        words, [main], Piece(stem, (main,)), kind, tense, negated, honorific, lexical,
        sense.refusal,
    )  # fmt: skip


def quality_of(
    adjective: Adjective, tense: str, person: str, honorific: bool, *, negated: bool = False
) -> Predicate:
    """ "was tired": the adjective as a predicate."""
    words = [Word(text) for text in english_be(tense, person, negated)]
    main = Word(adjective.english)
    lexical = honorific and adjective.honorific != ""
    stem = adjective.honorific if lexical else adjective.stem
    kind = "exist" if adjective.kind == "exist" else "adjective"
    return Predicate(words, [main], Piece(stem, (main,)), kind, tense, negated, honorific, lexical)
