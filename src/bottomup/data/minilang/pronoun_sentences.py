"""Sentences with a pronoun whose antecedent is known.

Korean drops a pronoun that stands for the subject, and puts the noun itself where it stands for the
object: 동물은 피곤했기 때문에 길을 건너지 않았다, but 동물은 길이 넓었기 때문에 건너지 않았다.
"""

from bottomup.data.minilang.chooser import NoSentenceError
from bottomup.data.minilang.circumstances import add_frequency
from bottomup.data.minilang.clauses import Clause, Draft, is_relative
from bottomup.data.minilang.habits import MOODS
from bottomup.data.minilang.modifiers import Adjective
from bottomup.data.minilang.phrases import NounPhrase, Word
from bottomup.data.minilang.predicates import predicate, quality_of
from bottomup.data.minilang.senses import Sense
from bottomup.data.minilang.topics import SENSES, SENSES_OF, reasons_of
from bottomup.data.minilang.verb_phrases import Predicate, realise
from bottomup.data.minilang.writer import Writer


def subject_reason(writer: Writer, mode: str, *address: Word) -> Draft:
    """ "the animal did not cross the street because it was tired ." """
    negated = writer.draw.chance(0.5)
    senses = [s for s in SENSES_OF[writer.topic] if (s.unless if negated else s.because)]
    sense = writer.choose(senses)
    main = _main_clause(writer, sense, negated)
    phrase = _antecedent(main.subject)
    if _in_a_mood(phrase) or is_relative(main.object):
        raise NoSentenceError
    reasons = reasons_of(phrase.noun, sense.unless if negated else sense.because)
    pronoun, because = Word(phrase.pronoun), Word("because")
    reason = _reason(writer, reasons, main, phrase, phrase.honorific)
    pieces = [
        *main.opening_pieces, *main.subject_pieces(topic=True),
        *realise(reason, "because", (because,)), *main.verb_pieces(mode, *address),
    ]  # fmt: skip
    words = [*main.words, because, pronoun, *reason.words]
    return Draft(words, pieces, [(pronoun, phrase.head)])


def object_reason(writer: Writer, mode: str, *address: Word) -> Draft:
    """ "the animal did not cross the street because it was wide ." """
    negated = writer.draw.chance(0.5)
    senses = [
        s for s in SENSES_OF[writer.topic]
        if (s.object_unless if negated else s.object_because)
    ]  # fmt: skip
    sense = writer.choose(senses)
    main = _main_clause(writer, sense, negated)
    phrase = _antecedent(main.object)
    if phrase.described or phrase.relative:
        raise NoSentenceError
    reasons = reasons_of(phrase.noun, sense.object_unless if negated else sense.object_because)
    pronoun, because = Word(phrase.pronoun), Word("because")
    reason = _reason(writer, reasons, main, phrase, False)
    named = [
        piece._replace(possible=(pronoun,)) if phrase.head in piece.sure else piece
        for piece in phrase.marked("subject", pronoun)
    ]
    cause = [*named, *realise(reason, "because", (because,))]
    pieces = [
        *main.opening_pieces, *main.subject_pieces(topic=True), *cause,
        *main.verb_pieces(mode, *address, drop_object=True),
    ]  # fmt: skip
    words = [*main.words, because, pronoun, *reason.words]
    return Draft(words, pieces, [(pronoun, phrase.head)])


def _reason(
    writer: Writer,
    reasons: tuple[Adjective, ...],
    main: Clause,
    phrase: NounPhrase,
    honorific: bool,
) -> Predicate:
    adjective, tense = writer.choose(reasons), main.predicate.tense
    if (adjective.kind == "state" and tense != "past") or writer.ambiguous(phrase, adjective):
        raise NoSentenceError
    return quality_of(adjective, tense, phrase.person, honorific)


def _in_a_mood(phrase: NounPhrase) -> bool:
    """Whether an adjective already tells the mood: "the happy boy ... because he was tired"."""
    return any(word.text in MOODS for word in phrase.words)


def _main_clause(writer: Writer, sense: Sense, negated: bool, *, time: bool = True) -> Clause:
    tenses = [t for t in ("past", "past", "past", "present") if t in sense.tenses]
    if not tenses:
        raise NoSentenceError
    tense = writer.draw.pick(tenses)
    return writer.clause(sense=sense, tense=tense, negated=negated, definite=True, time=time)


def _antecedent(phrase: NounPhrase | None) -> NounPhrase:
    if phrase is None or phrase.noun is None or not phrase.pronoun:
        raise NoSentenceError
    return phrase


def mood(writer: Writer, mode: str, *address: Word) -> Draft:
    """ "the girl listens to music when she is sad ." """
    senses = [s for s in SENSES_OF[writer.topic] if s.because]
    sense = writer.choose(senses)
    main = _main_clause(writer, sense, False, time=False)
    phrase = _antecedent(main.subject)
    if _in_a_mood(phrase) or is_relative(main.object):
        raise NoSentenceError
    add_frequency(writer, main, main.predicate.tense, False)
    reasons = [a for a in reasons_of(phrase.noun, sense.because) if a.kind != "state"]
    pronoun, when = Word(phrase.pronoun), Word("when")
    reason = _reason(writer, tuple(reasons), main, phrase, phrase.honorific)
    pieces = [
        *main.opening_pieces, *main.subject_pieces(topic=True),
        *realise(reason, "while", (when,)), *main.verb_pieces(mode, *address),
    ]  # fmt: skip
    return Draft([*main.words, when, pronoun, *reason.words], pieces, [(pronoun, phrase.head)])


def left_undone(writer: Writer, mode: str, *address: Word) -> Draft:
    """ "the boy bought a book but did not read it ." """
    firsts = [s for s in SENSES_OF[writer.topic] if s.verb in _FOLLOWED]
    first = writer.choose(firsts)
    left = _main_clause(writer, first, False)
    phrase = _antecedent(left.object)
    if left.predicate.tense != "past" or phrase.relative or left.subject is None:
        raise NoSentenceError
    followers = [
        s for s in SENSES if s.verb in _FOLLOWED[first.verb] and phrase.head.text in s.objects
        and "adult" in s.who
    ]  # fmt: skip
    second = writer.choose(followers)
    subject = left.subject
    refusal = predicate(second, "past", subject.person, subject.honorific, negated=True)
    link, pronoun = Word("but"), Word("them" if phrase.pronoun == "they" else phrase.pronoun)
    pieces = [*left.pieces("but", link), *realise(refusal, mode, address)]
    words = [*left.words, link, *refusal.words, pronoun]
    return Draft(words, pieces, [(pronoun, phrase.head)])


_FOLLOWED = {
    "buy": ("read", "eat", "drink", "wear"), "cook": ("eat",), "make": ("eat", "sell", "drink"),
    "write": ("send",), "cut": ("eat",), "wash": ("eat", "wear"),
}  # fmt: skip
