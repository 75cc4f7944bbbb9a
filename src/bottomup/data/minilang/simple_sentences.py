"""Sentences of one main clause."""

from bottomup.data.minilang.chooser import NoSentenceError
from bottomup.data.minilang.clauses import Clause, Draft
from bottomup.data.minilang.modifiers import DEGREE
from bottomup.data.minilang.nouns import FOOD_GROUPS, NOUNS
from bottomup.data.minilang.phrases import NounPhrase, Piece, Word, noun_phrase
from bottomup.data.minilang.predicates import quality_of
from bottomup.data.minilang.topics import (
    CAST,
    SENSES_OF,
    deeds_at,
    location_preposition,
    qualities_of,
)
from bottomup.data.minilang.verb_phrases import Predicate, english_be, realise
from bottomup.data.minilang.writer import Writer


def simple(writer: Writer, mode: str, *address: Word) -> Draft:
    """ "the man read a book ." """
    clause = writer.clause()
    return Draft(clause.words, clause.pieces(mode, *address), [])


def quality(writer: Writer, mode: str, *address: Word) -> Draft:
    """ "the book that the boy bought is very interesting ." """
    tense = writer.draw.pick(("present", "past"))
    writer.now = tense == "present"
    phrase = _described(writer)
    if phrase.noun is None:
        raise NoSentenceError
    eaten = phrase.noun.group in FOOD_GROUPS and phrase.relative
    choices = [a for a in qualities_of(phrase.noun) if not eaten or a.english in _TASTES]
    tense = "past" if eaten else tense
    negated = writer.draw.chance(0.15)
    clause = Clause(
        quality_of(writer.choose(choices), tense, phrase.person, phrase.honorific, negated=negated),
        subject=phrase,
    )
    said = clause.predicate.verb[-1].text
    if not negated and said not in _COLOURS and writer.draw.chance(0.4):
        too = said in _EXCESSIVE
        names = ("really",) if said == "delicious" else ("very", "really", "too")[: 2 + too]
        name = writer.draw.pick(names)
        word = Word(name)
        clause.frequency = [word]
        clause.manner.append(Piece(DEGREE[name], (word,)))
    return Draft(clause.words, clause.pieces(mode, *address), [])


def _described(writer: Writer) -> NounPhrase:
    if writer.draw.chance(0.4):
        return writer.subject(definite=True, described=False)
    senses = [s for s in SENSES_OF[writer.topic] if s.objects and s.role == "object"]
    noun = writer.fresh([NOUNS[name] for name in writer.choose(senses).objects])
    relative = None
    if noun.group not in ("lesson", "sport") and writer.optional(0.5):
        relative = writer.object_relative(noun, gone=noun.group in FOOD_GROUPS)
    bare = noun.mass and not relative and noun.group != "drink"
    determiner = "" if bare else "the"
    return noun_phrase(noun, determiner, relative=relative)


_TASTES = ("delicious", "sweet", "spicy", "hot", "cold", "warm", "fresh")
_COLOURS = ("red", "blue", "yellow", "white", "black")
_EXCESSIVE = (
    "big small long short heavy expensive dirty dangerous spicy hot cold boring difficult slow "
    "noisy"
).split()


def location(writer: Writer, mode: str, *address: Word) -> Draft:
    """ "the grandmother is in the kitchen ." """
    phrase = writer.subject(definite=True)
    place = writer.fresh([NOUNS[name] for name in _ROOMS[writer.topic]])
    tense = writer.draw.pick(("present", "past"))
    be = Word(english_be(tense, phrase.person, False)[0])
    stay, kind = ("계시", "verb") if phrase.honorific else ("있", "exist")
    predicate = Predicate(
        [], [be], Piece(stay, (be,)), kind, tense, False, phrase.honorific, phrase.honorific
    )
    clause = Clause(predicate, subject=phrase)
    word = Word(location_preposition(place))
    where = noun_phrase(place, "the")
    clause.rest = [word, *where.words]
    clause.setting = where.marked("to", word)
    return Draft(clause.words, clause.pieces(mode, *address), [])


_ROOMS = {
    "home": ("house", "room", "kitchen", "yard"), "food": ("kitchen", "restaurant", "cafe"),
    "school": ("school", "classroom", "library"), "nature": ("forest", "garden", "park"),
    "town": ("station", "airport", "hospital"), "shopping": ("market", "store"),
    "music": ("theater", "school", "room"), "art": ("museum", "theater", "palace"),
    "work": ("office", "hospital", "store"), "sport": ("playground", "park"),
}  # fmt: skip


def errand(writer: Writer, mode: str, *address: Word) -> Draft:
    """ "the student went to the library to read a book ." """
    going = [s for s in SENSES_OF["town"] if s.verb == "go"]
    main = writer.clause(
        sense=writer.draw.pick(going), negated=False, rich=False,
        tense=writer.draw.pick(("past", "past", "future", "present")),
    )  # fmt: skip
    place = main.object
    deeds = deeds_at(writer.topic, place.noun) if place and place.noun else ()
    if not deeds or main.subject is None or main.frequency:
        raise NoSentenceError
    deed = writer.choose(deeds)
    aim = writer.clause(
        sense=deed, tense="future", negated=False, shared=main.subject, rich=False, time=False
    )
    to = Word("to")
    aim.predicate.auxiliary, aim.predicate.honorific = [], False
    pieces = [
        *main.opening_pieces, *main.subject_pieces(topic=True), *main.setting,
        *aim.verb_pieces("purpose", to), *main.object_pieces,
        *realise(main.predicate, mode, address),
    ]  # fmt: skip
    return Draft([*main.words, to, *aim.predicate.verb, *aim.rest], pieces, [])


def denial(writer: Writer, mode: str, *address: Word) -> Draft:
    """ "the man is not a doctor .": 남자는 의사가 아니다."""
    jobs = [noun for noun in CAST[writer.topic] if noun.english in _JOBS]
    phrase = writer.subject(definite=True)
    if phrase.honorific or phrase.person != "third" or phrase.head.text not in _CIVILIANS:
        raise NoSentenceError
    job = noun_phrase(writer.fresh(jobs), "a")
    be, refusal = (Word(text) for text in english_be("present", "third", True))
    stem = Piece("아니", (refusal,), (be,))
    predicate = Predicate([be], [refusal], stem, "adjective", "present", False, False)
    clause = Clause(
        predicate, subject=phrase, rest=job.words, object_pieces=job.marked("complement")
    )
    return Draft(clause.words, clause.pieces(mode, *address), [])


_CIVILIANS = "man woman student friend uncle aunt".split()
_JOBS = "doctor lawyer painter singer writer musician director nurse farmer chef".split()
