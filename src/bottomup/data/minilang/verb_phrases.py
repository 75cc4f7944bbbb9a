"""Verb phrases in both languages at once: tense, negation, honorific, ending of the clause."""

from dataclasses import dataclass

from bottomup.data.minilang.conjugation import (
    ADNOMINAL,
    AND,
    BUT,
    HONORIFIC,
    NOMINAL,
    NOT,
    PAST,
    PLAIN,
    POLITE,
    PRESENT,
    PROSPECTIVE,
    PURPOSE,
)
from bottomup.data.minilang.phrases import Piece, Word
from bottomup.data.minilang.verbs import VERBS

TENSES = ("past", "present", "future", "progressive", "was", "can")
# What a clause can end in. "when" keeps the past (봤을 때), "while" does not (볼 때).
MODES = (
    "plain",
    "polite",
    "and",
    "then",
    "but",
    "because",
    "when",
    "while",
    "adnominal",
    "purpose",
)


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


_BE = {
    "present": {"i": "am", "plural": "are", "third": "is"},
    "past": {"i": "was", "plural": "were", "third": "was"},
}


def english_verb(base: str, tense: str, person: str, negated: bool) -> tuple[list[str], str]:
    """Auxiliaries and main verb: ("read", "past", "third", True) -> (["did", "not"], "read")."""
    forms = VERBS[base]
    no = ["not"] if negated else []
    if tense == "can":
        return ["cannot" if negated else "can"], base
    if tense == "future":
        return ["will", *no], base
    if tense in ("progressive", "was"):
        return [_BE["past" if tense == "was" else "present"][person], *no], forms.ing
    if negated:
        do = "did" if tense == "past" else "does" if person == "third" else "do"
        return [do, "not"], base
    return [], forms.past if tense == "past" else forms.third if person == "third" else base


def english_be(tense: str, person: str, negated: bool) -> list[str]:
    """The forms of "be": ("past", "plural", True) -> ["were", "not"]."""
    no = ["not"] if negated else []
    return [_BE[tense][person], *no]


def realise(predicate: Predicate, mode: str, connective: tuple[Word, ...] = ()) -> list[Piece]:
    """The Korean verb with all its endings.

    Args:
        predicate: what is said.
        mode: one of `MODES`.
        connective: the English words that the ending of the clause comes from ("because").
    """
    verb = (predicate.verb[-1],)
    pieces = [predicate.stem]
    kind, honorific = predicate.kind, predicate.honorific and not predicate.lexical
    if predicate.negated and predicate.tense != "can":
        refusal = tuple(word for word in predicate.auxiliary if word.text == "not")
        pieces += [Piece(NOT, (), refusal), Piece(predicate.refusal, refusal)]
        kind = "adjective" if kind == "adjective" else "verb"
        honorific = predicate.honorific
    if predicate.tense in ("progressive", "was"):
        auxiliary = tuple(predicate.auxiliary[:1])
        stay = "계시" if predicate.honorific else "있"
        pieces += [Piece(AND, (), verb), Piece(stay, (), (*auxiliary, *verb))]
        kind = "verb" if predicate.honorific else "exist"
        honorific = False
    if honorific:
        pieces.append(Piece(HONORIFIC, (), verb))
        kind = "adjective" if kind == "exist" else kind  # 있는, but 있으신
    if predicate.tense == "can":
        auxiliary = tuple(predicate.auxiliary)
        pieces += [Piece(PROSPECTIVE, (), auxiliary), Piece("수", (), auxiliary)]
        pieces.append(Piece("없" if predicate.negated else "있", (), auxiliary))
        kind = "exist"
    return pieces + _ending(predicate, kind, mode, connective)


def _ending(
    predicate: Predicate, kind: str, mode: str, connective: tuple[Word, ...]
) -> list[Piece]:
    verb = (predicate.verb[-1],)
    marks = tuple(word for word in predicate.auxiliary if word.text != "not") or verb
    past = [Piece(PAST, (), marks)] if predicate.tense in ("past", "was") else []
    future = []
    if predicate.tense == "future":
        future = [Piece(PROSPECTIVE, (), marks), Piece("것이", (), marks)]
    tense = past + future
    if mode == "polite":
        return [*tense, Piece(POLITE, (), (*connective, *verb))]
    if mode == "plain":
        present = [] if tense or kind != "verb" else [Piece(PRESENT, (), marks)]
        return [*tense, *present, Piece(PLAIN, (), verb)]
    if mode == "adnominal":
        return _adnominal(predicate, kind, verb, connective)
    return _connected(mode, tense, connective)


def _adnominal(
    predicate: Predicate, kind: str, verb: tuple[Word, ...], connective: tuple[Word, ...]
) -> list[Piece]:
    end = Piece(ADNOMINAL, (), (*connective, *verb))
    if kind == "adjective" or predicate.tense == "past":
        return [end]
    return [Piece(PRESENT, (), verb), end]


def _connected(mode: str, tense: list[Piece], connective: tuple[Word, ...]) -> list[Piece]:
    if mode == "because":
        because = [Piece("때문", connective), Piece("-에", (), connective)]
        return [*tense, Piece(NOMINAL, (), connective), *because]
    if mode in ("when", "while"):
        kept = tense if mode == "when" else []
        return [*kept, Piece(PROSPECTIVE, (), connective), Piece("때", connective)]
    if mode == "then":
        return [Piece(AND, (), connective)]
    if mode == "purpose":
        return [Piece(PURPOSE, (), connective)]
    return [*tense, Piece(AND if mode == "and" else BUT, (), connective)]
