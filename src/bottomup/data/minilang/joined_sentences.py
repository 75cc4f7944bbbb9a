"""Sentences of two clauses that share no pronoun."""

from dataclasses import replace

from bottomup.data.minilang.chooser import NoSentenceError
from bottomup.data.minilang.clauses import Clause, Draft, is_relative
from bottomup.data.minilang.habits import NEVER_FIRST, ONGOING, related
from bottomup.data.minilang.nouns import NOUNS
from bottomup.data.minilang.phrases import Piece, Word, noun_phrase
from bottomup.data.minilang.predicates import quality_of
from bottomup.data.minilang.senses import Sense
from bottomup.data.minilang.topics import SENSES, SENSES_OF, fits, reasons_of
from bottomup.data.minilang.verb_phrases import realise
from bottomup.data.minilang.writer import Writer


def both(writer: Writer, mode: str, *address: Word) -> Draft:
    """ "the man read a book and the woman wrote a letter ." """
    return _joined(writer, mode, address, "and")


def contrast(writer: Writer, mode: str, *address: Word) -> Draft:
    """ "the boy played the piano but the girl played the flute ." """
    return _joined(writer, mode, address, "but")


def _joined(writer: Writer, mode: str, address: tuple[Word, ...], name: str) -> Draft:
    link = Word(name)
    tense = writer.draw.pick(("past", "past", "present"))
    senses = [s for s in SENSES_OF[writer.topic] if tense in s.tenses]
    first = writer.choose(senses)
    left = writer.clause(sense=first, tense=tense, negated=False, definite=True)
    # "the boy slept but the girl did not sleep"; what has an object contrasts the objects.
    refused = name == "but" and not first.objects
    if name == "but":
        partners = [s for s in senses if s.verb == first.verb]
    else:
        partners = [
            s for s in senses if related(first.verb, s.verb) and (s.objects or s.verb != first.verb)
        ]
    second = first if refused else writer.choose(partners)
    right = writer.clause(
        sense=second, tense=tense, negated=refused, definite=True, time=False, rich=not refused
    )
    words = [*left.words, link, *right.words]
    return Draft(words, [*left.pieces(name, link), *right.pieces(mode, *address)], [])


def sequence(writer: Writer, mode: str, *address: Word) -> Draft:
    """ "the man cleaned the room and read a book .": one subject, two verbs."""
    link = Word("and")
    tense = writer.draw.pick(("past", "past", "present", "future"))
    first, second = _two_deeds(writer, tense)
    left = writer.clause(sense=first, tense=tense, negated=False)
    doer = left.subject
    if (
        doer is None
        or left.frequency
        or is_relative(left.object)
        or (doer.noun and not fits(doer.noun, second.who))
    ):
        raise NoSentenceError
    right = writer.clause(sense=second, tense=tense, negated=False, shared=left.subject, time=False)
    right.predicate.auxiliary = []
    if tense == "future":
        right.predicate.auxiliary = left.predicate.auxiliary
        right_words = [*right.predicate.verb, *right.rest]
    else:
        right_words = right.words
    pieces = [*left.pieces("then", link), *right.verb_pieces(mode, *address)]
    return Draft([*left.words, link, *right_words], pieces, [])


def _two_deeds(writer: Writer, tense: str) -> tuple[Sense, Sense]:
    deeds = [
        s for s in SENSES_OF[writer.topic]
        if tense in s.tenses and "future" in s.tenses and s.predicate == "verb"
        and set(s.who) >= {"adult", "child"} and s.verb not in _LONELY
    ]  # fmt: skip
    first = writer.choose([s for s in deeds if s.verb not in NEVER_FIRST])
    near = [s for s in deeds if s.verb != first.verb and related(first.verb, s.verb)]
    return first, writer.choose(near)


_LONELY = ("laugh", "cry", "become", "speak")


def weather_reason(writer: Writer, mode: str, *address: Word) -> Draft:
    """ "the man did not go to the park because it rained .": here "it" stands for nothing."""
    negated = writer.draw.chance(0.6)
    outdoor = (*_OUTDOOR, "kick", "throw", "go", "visit") if negated else _OUTDOOR
    senses = [s for s in SENSES_OF[writer.topic] if s.verb in outdoor and "future" in s.tenses]
    main = writer.clause(sense=writer.choose(senses), tense="past", negated=negated, rich=False)
    because = Word("because")
    if negated and writer.draw.chance(0.7):
        words, cause = _falling(writer, because)
    else:
        name = writer.draw.pick(("cold", "hot", "bad") if negated else ("good", "warm"))
        words, cause = _weather(writer, name, because)
    return Draft([*main.words, because, *words], [*cause, *main.pieces(mode, *address)], [])


_OUTDOOR = ("walk", "swim", "run", "ride")


def _falling(writer: Writer, because: Word) -> tuple[list[Word], list[Piece]]:
    it = Word("it")
    verb = Word(writer.draw.pick(("rained", "snowed")))
    noun = "비" if verb.text == "rained" else "눈"
    pieces = [
        Piece(noun, (verb,)), Piece("-가" if noun == "비" else "-이", (), (it, verb)),
        Piece("오", (verb,)), Piece("-었", (), (verb,)), Piece("-기", (), (because,)),
        Piece("때문", (because,)), Piece("-에", (), (because,)),
    ]  # fmt: skip
    return [it, verb], pieces


def _weather(writer: Writer, name: str, because: Word) -> tuple[list[Word], list[Piece]]:
    weather = noun_phrase(NOUNS["weather"], "the")
    adjective = next(a for a in reasons_of(NOUNS["weather"], (name,)))
    reason = quality_of(adjective, "past", "third", False)
    pieces = [*weather.marked("subject"), *realise(reason, "because", (because,))]
    return [*weather.words, *reason.words], pieces


def meanwhile(writer: Writer, mode: str, *address: Word) -> Draft:
    """ "the boy was reading a book when the teacher came ." """
    senses = [
        s for s in SENSES_OF[writer.topic]
        if "was" in s.tenses and s.verb in ONGOING and s.verb != "wear"
    ]  # fmt: skip
    main = writer.clause(
        sense=writer.choose(senses), tense="was", negated=False, rich=True, time=False
    )
    when = Word("when")
    event = _event(writer)
    pieces = [*event.pieces("when", when, topic=False), *main.pieces(mode, *address)]
    return Draft([*main.words, when, *event.words], pieces, [])


def _event(writer: Writer) -> Clause:
    phrase = writer.subject(_COMING, definite=True)
    return writer.clause(
        sense=writer.draw.pick((_COMING, _ARRIVING, _OPENING)), subject=phrase, tense="past",
        negated=False, rich=False, time=False,
    )  # fmt: skip


def _event_sense(verb: str, *objects: str) -> Sense:
    """The sense of a verb with these objects only: nobody arrives at one place to see another."""
    sense = next(s for s in SENSES if s.verb == verb)
    return replace(sense, objects=objects)


_COMING = _event_sense("come")
_ARRIVING = _event_sense("arrive")
_OPENING = _event_sense("open", "door", "window")
