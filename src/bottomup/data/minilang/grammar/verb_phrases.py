"""Verb phrases in both languages at once: tense, negation, honorific, ending of the clause."""

from dataclasses import dataclass

from bottomup.data.minilang.grammar import conjugation as end
from bottomup.data.minilang.grammar.phrases import Piece, Word
from bottomup.data.minilang.lexicon.modifiers import Adjective
from bottomup.data.minilang.lexicon.senses import Sense
from bottomup.data.minilang.lexicon.verbs import VERBS


@dataclass(slots=True)
class Predicate:
    """What is said of a subject: English words with room for an adverb, and the Korean stem.

    `kind` is "verb", "adjective" or "exist"; `lexical` marks a stem that is honorific by itself.
    """

    auxiliary: list[Word]
    verb: list[Word]
    stem: Piece
    kind: str
    tense: str
    negated: bool
    honorific: bool
    lexical: bool = False
    refusal: str = "않"

    @property
    def words(self) -> list[Word]:
        """The English verb group."""
        return [*self.auxiliary, *self.verb]


def predicate(
    sense: Sense, tense: str, person: str, honorific: bool, *, negated: bool = False
) -> Predicate:
    """The verb of a sense, in English and Korean."""
    auxiliary, verb = _english_verb(sense.verb, tense, person, negated)
    words, main = [Word(text) for text in auxiliary], Word(verb)
    if negated and sense.negative:
        refusal = tuple(word for word in words if word.text == "not")
        stem = Piece(sense.negative, (main, *refusal))
        return Predicate(words, [main], stem, sense.predicate, tense, False, honorific)
    lexical = honorific and sense.honorific != ""
    stem = Piece(sense.honorific if lexical else sense.stem, (main,))
    return Predicate(
        words, [main], stem, sense.predicate, tense, negated, honorific, lexical, sense.refusal
    )


def quality_of(
    adjective: Adjective, tense: str, person: str, honorific: bool, *, negated: bool = False
) -> Predicate:
    """ "was tired": the adjective as a predicate."""
    words = [Word(text) for text in english_be(tense, person, negated)]
    main = Word(adjective.english)
    lexical = honorific and adjective.honorific != ""
    stem = Piece(adjective.honorific if lexical else adjective.stem, (main,))
    kind = "exist" if adjective.kind == "exist" else "adjective"
    return Predicate(words, [main], stem, kind, tense, negated, honorific, lexical)


_BE = {
    "present": {"i": "am", "plural": "are", "third": "is"},
    "past": {"i": "was", "plural": "were", "third": "was"},
}


def _english_verb(base: str, tense: str, person: str, negated: bool) -> tuple[list[str], str]:
    """Auxiliaries and main verb: ("read", "past", "third", True) -> (["did", "not"], "read")."""
    forms = VERBS[base]
    if tense == "can":
        return ["cannot" if negated else "can"], base
    if tense == "future":
        return ["will", "not"] if negated else ["will"], base
    if tense in ("progressive", "was"):
        return english_be("past" if tense == "was" else "present", person, negated), forms.ing
    if negated:
        do = "did" if tense == "past" else "does" if person == "third" else "do"
        return [do, "not"], base
    return [], forms.past if tense == "past" else forms.third if person == "third" else base


def english_be(tense: str, person: str, negated: bool) -> list[str]:
    """The forms of "be": ("past", "plural", True) -> ["were", "not"]."""
    return [_BE[tense][person], "not"] if negated else [_BE[tense][person]]


def realise(predicate: Predicate, mode: str, connective: tuple[Word, ...] = ()) -> list[Piece]:
    """The Korean verb with all its endings.

    Args:
        predicate: what is said.
        mode: what the clause ends in: "plain", "polite", "and", "then", "but", "because", "when",
            "while", "adnominal" or "purpose". "when" keeps the past (봤을 때), "while" does not
            (볼 때).
        connective: the English words that the ending of the clause comes from ("because").
    """
    verb = (predicate.verb[-1],)
    pieces = [predicate.stem]
    kind, honorific = predicate.kind, predicate.honorific and not predicate.lexical
    if predicate.negated and predicate.tense != "can":
        refusal = tuple(word for word in predicate.auxiliary if word.text == "not")
        pieces += [Piece(end.NOT, (), refusal), Piece(predicate.refusal, refusal)]
        kind = "adjective" if kind == "adjective" else "verb"
        honorific = predicate.honorific
    if predicate.tense in ("progressive", "was"):
        auxiliary = tuple(predicate.auxiliary[:1])
        stay = "계시" if predicate.honorific else "있"
        pieces += [Piece(end.AND, (), verb), Piece(stay, (), (*auxiliary, *verb))]
        kind = "verb" if predicate.honorific else "exist"
        honorific = False
    if honorific:
        pieces.append(Piece(end.HONORIFIC, (), verb))
        kind = "adjective" if kind == "exist" else kind  # 있는, but 있으신
    if predicate.tense == "can":
        auxiliary = tuple(predicate.auxiliary)
        pieces += [Piece(end.PROSPECTIVE, (), auxiliary), Piece("수", (), auxiliary)]
        pieces.append(Piece("없" if predicate.negated else "있", (), auxiliary))
        kind = "exist"
    return pieces + _ending(predicate, kind, mode, connective)


def _ending(
    predicate: Predicate, kind: str, mode: str, connective: tuple[Word, ...]
) -> list[Piece]:
    verb = (predicate.verb[-1],)
    marks = tuple(word for word in predicate.auxiliary if word.text != "not") or verb
    tense = [Piece(end.PAST, (), marks)] if predicate.tense in ("past", "was") else []
    if predicate.tense == "future":
        tense = [Piece(end.PROSPECTIVE, (), marks), Piece("것이", (), marks)]
    if mode == "polite":
        return [*tense, Piece(end.POLITE, (), (*connective, *verb))]
    if mode == "plain":
        present = [] if tense or kind != "verb" else [Piece(end.PRESENT, (), marks)]
        return [*tense, *present, Piece(end.PLAIN, (), verb)]
    if mode == "adnominal":
        bare = kind == "adjective" or predicate.tense == "past"
        present = [] if bare else [Piece(end.PRESENT, (), verb)]
        return [*present, Piece(end.ADNOMINAL, (), (*connective, *verb))]
    if mode == "because":
        because = [Piece("때문", connective), Piece("-에", (), connective)]
        return [*tense, Piece(end.NOMINAL, (), connective), *because]
    if mode in ("when", "while"):
        past = tense if mode == "when" else []
        return [*past, Piece(end.PROSPECTIVE, (), connective), Piece("때", connective)]
    if mode in ("then", "purpose"):
        return [Piece(end.AND if mode == "then" else end.PURPOSE, (), connective)]
    return [*tense, Piece(end.AND if mode == "and" else end.BUT, (), connective)]
