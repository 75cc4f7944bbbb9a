"""The kinds of sentence and how often each occurs.

Korean drops a pronoun that stands for the subject, and puts the noun itself where it stands for the
object: 동물은 피곤했기 때문에 길을 건너지 않았다, but 동물은 길이 넓었기 때문에 건너지 않았다.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from bottomup.data.minilang.grammar.clauses import Clause, Draft, is_relative
from bottomup.data.minilang.grammar.phrases import NounPhrase, Piece, Word, noun_phrase
from bottomup.data.minilang.grammar.verb_phrases import (
    Predicate,
    english_be,
    predicate,
    quality_of,
    realise,
)
from bottomup.data.minilang.lexicon.habits import MOODS, NEVER_FIRST, ONGOING, related
from bottomup.data.minilang.lexicon.modifiers import DEGREE, Adjective
from bottomup.data.minilang.lexicon.nouns import FOOD_GROUPS, NOUNS
from bottomup.data.minilang.lexicon.senses import SENSES, Sense
from bottomup.data.minilang.lexicon.topics import (
    CAST,
    SENSES_OF,
    TOPICS,
    deeds_at,
    fits,
    location_preposition,
    qualities_of,
    reasons_of,
)
from bottomup.data.minilang.sentences.draw import Draw
from bottomup.data.minilang.sentences.writer import NoSentenceError, Writer

Address = tuple[Word, ...]  # "sir" or "ma'am" in a polite sentence, which its ending comes from

# --- one main clause --------------------------------------------------------------------------


def simple(writer: Writer, mode: str, address: Address) -> Draft:
    """ "the man read a book ." """
    clause = writer.clause()
    return Draft(clause.words, clause.pieces(mode, address))


def quality(writer: Writer, mode: str, address: Address) -> Draft:
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
    adjective = writer.choose(choices)
    said = quality_of(adjective, tense, phrase.person, phrase.honorific, negated=negated)
    clause = Clause(said, subject=phrase)
    name = adjective.english
    if not negated and name not in _COLOURS and writer.draw.chance(0.4):
        degrees = ("very", "really", "too") if name in _EXCESSIVE else ("very", "really")
        degree = writer.draw.pick(("really",) if name == "delicious" else degrees)
        word = Word(degree)
        clause.frequency = [word]
        clause.manner.append(Piece(DEGREE[degree], (word,)))
    return Draft(clause.words, clause.pieces(mode, address))


def _described(writer: Writer) -> NounPhrase:
    if writer.draw.chance(0.4):
        return writer.subject(definite=True, described=False)
    senses = [s for s in SENSES_OF[writer.topic] if s.objects and s.role == "object"]
    noun = writer.fresh([NOUNS[name] for name in writer.choose(senses).objects])
    relative = None
    if noun.group not in ("lesson", "sport") and writer.optional(0.5):
        relative = writer.object_relative(noun, gone=noun.group in FOOD_GROUPS)
    bare = noun.mass and not relative and noun.group != "drink"
    return noun_phrase(noun, "" if bare else "the", relative=relative)


_TASTES = ("delicious", "sweet", "spicy", "hot", "cold", "warm", "fresh")
_COLOURS = ("red", "blue", "yellow", "white", "black")
_EXCESSIVE = (
    "big small long short heavy expensive dirty dangerous spicy hot cold boring difficult slow "
    "noisy"
).split()


def location(writer: Writer, mode: str, address: Address) -> Draft:
    """ "the grandmother is in the kitchen ." """
    phrase = writer.subject(definite=True)
    place = writer.fresh([NOUNS[name] for name in _ROOMS[writer.topic]])
    tense = writer.draw.pick(("present", "past"))
    be = Word(english_be(tense, phrase.person, False)[0])
    stay, kind = ("계시", "verb") if phrase.honorific else ("있", "exist")
    stem, honorific = Piece(stay, (be,)), phrase.honorific
    said = Predicate([], [be], stem, kind, tense, False, honorific, lexical=honorific)
    word, where = Word(location_preposition(place)), noun_phrase(place, "the")
    clause = Clause(
        said, subject=phrase, rest=[word, *where.words], setting=where.marked("to", word)
    )
    return Draft(clause.words, clause.pieces(mode, address))


_ROOMS = {
    "home": ("house", "room", "kitchen", "yard"), "food": ("kitchen", "restaurant", "cafe"),
    "school": ("school", "classroom", "library"), "nature": ("forest", "garden", "park"),
    "town": ("station", "airport", "hospital"), "shopping": ("market", "store"),
    "music": ("theater", "school", "room"), "art": ("museum", "theater", "palace"),
    "work": ("office", "hospital", "store"), "sport": ("playground", "park"),
}  # fmt: skip


def errand(writer: Writer, mode: str, address: Address) -> Draft:
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
        *aim.verb_pieces("purpose", (to,)), *main.object_pieces,
        *realise(main.predicate, mode, address),
    ]  # fmt: skip
    return Draft([*main.words, to, *aim.predicate.verb, *aim.rest], pieces)


def denial(writer: Writer, mode: str, address: Address) -> Draft:
    """ "the man is not a doctor .": 남자는 의사가 아니다."""
    jobs = [noun for noun in CAST[writer.topic] if noun.english in _JOBS]
    phrase = writer.subject(definite=True)
    if phrase.honorific or phrase.person != "third" or phrase.head.text not in _CIVILIANS:
        raise NoSentenceError
    job = noun_phrase(writer.fresh(jobs), "a")
    be, refusal = (Word(text) for text in english_be("present", "third", True))
    stem = Piece("아니", (refusal,), (be,))
    said = Predicate([be], [refusal], stem, "adjective", "present", False, False)
    clause = Clause(said, subject=phrase, rest=job.words, object_pieces=job.marked("complement"))
    return Draft(clause.words, clause.pieces(mode, address))


_CIVILIANS = "man woman student friend uncle aunt".split()
_JOBS = "doctor lawyer painter singer writer musician director nurse farmer chef".split()

# --- two clauses that share no pronoun --------------------------------------------------------


def joined(name: str, writer: Writer, mode: str, address: Address) -> Draft:
    """ "the boy played the piano but the girl played the flute .", or "and"."""
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
    link = Word(name)
    pieces = [*left.pieces(name, (link,)), *right.pieces(mode, address)]
    return Draft([*left.words, link, *right.words], pieces)


def sequence(writer: Writer, mode: str, address: Address) -> Draft:
    """ "the man cleaned the room and read a book .": one subject, two verbs."""
    tense = writer.draw.pick(("past", "past", "present", "future"))
    deeds = [
        s for s in SENSES_OF[writer.topic]
        if tense in s.tenses and "future" in s.tenses and s.predicate == "verb"
        and set(s.who) >= {"adult", "child"} and s.verb not in _LONELY
    ]  # fmt: skip
    first = writer.choose([s for s in deeds if s.verb not in NEVER_FIRST])
    near = [s for s in deeds if s.verb != first.verb and related(first.verb, s.verb)]
    second = writer.choose(near)
    left = writer.clause(sense=first, tense=tense, negated=False)
    doer = left.subject
    unfit = doer is None or (doer.noun and not fits(doer.noun, second.who))
    if unfit or left.frequency or is_relative(left.object):
        raise NoSentenceError
    right = writer.clause(sense=second, tense=tense, negated=False, shared=doer, time=False)
    right.predicate.auxiliary = []
    right_words = right.words
    if tense == "future":
        right.predicate.auxiliary = left.predicate.auxiliary
        right_words = [*right.predicate.verb, *right.rest]
    link = Word("and")
    pieces = [*left.pieces("then", (link,)), *right.verb_pieces(mode, address)]
    return Draft([*left.words, link, *right_words], pieces)


_LONELY = ("laugh", "cry", "become", "speak")


def weather_reason(writer: Writer, mode: str, address: Address) -> Draft:
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
        words, cause = _weather(name, because)
    return Draft([*main.words, because, *words], [*cause, *main.pieces(mode, address)])


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


def _weather(name: str, because: Word) -> tuple[list[Word], list[Piece]]:
    weather = noun_phrase(NOUNS["weather"], "the")
    reason = quality_of(reasons_of(NOUNS["weather"], (name,))[0], "past", "third", False)
    pieces = [*weather.marked("subject"), *realise(reason, "because", (because,))]
    return [*weather.words, *reason.words], pieces


def meanwhile(writer: Writer, mode: str, address: Address) -> Draft:
    """ "the boy was reading a book when the teacher came ." """
    senses = [
        s for s in SENSES_OF[writer.topic]
        if "was" in s.tenses and s.verb in ONGOING and s.verb != "wear"
    ]  # fmt: skip
    main = writer.clause(sense=writer.choose(senses), tense="was", negated=False, time=False)
    comer = writer.subject(_EVENTS[0], definite=True)
    event = writer.clause(
        sense=writer.draw.pick(_EVENTS), subject=comer, tense="past",
        negated=False, rich=False, time=False,
    )  # fmt: skip
    when = Word("when")
    pieces = [*event.pieces("when", (when,), topic=False), *main.pieces(mode, address)]
    return Draft([*main.words, when, *event.words], pieces)


# Without what else the verb may have: nobody arrives at one place to see another.
_EVENTS = tuple(
    replace(next(s for s in SENSES if s.verb == verb), objects=objects)
    for verb, objects in (("come", ()), ("arrive", ()), ("open", ("door", "window")))
)

# --- a pronoun whose antecedent is known ------------------------------------------------------


def subject_reason(writer: Writer, mode: str, address: Address) -> Draft:
    """ "the animal did not cross the street because it was tired ." """
    negated = writer.draw.chance(0.5)
    senses = [s for s in SENSES_OF[writer.topic] if (s.unless if negated else s.because)]
    sense = writer.choose(senses)
    main = _main_clause(writer, sense, negated)
    phrase = _antecedent(main.subject)
    if _in_a_mood(phrase) or is_relative(main.object):
        raise NoSentenceError
    reasons = reasons_of(phrase.noun, sense.unless if negated else sense.because)
    reason = _reason(writer, reasons, main, phrase, phrase.honorific)
    return _explained(main, phrase, "because", reason, mode, address)


def object_reason(writer: Writer, mode: str, address: Address) -> Draft:
    """ "the animal did not cross the street because it was wide ." """
    negated = writer.draw.chance(0.5)
    causes = {s: s.object_unless if negated else s.object_because for s in SENSES_OF[writer.topic]}
    sense = writer.choose([s for s in causes if causes[s]])
    main = _main_clause(writer, sense, negated)
    phrase = _antecedent(main.object)
    if phrase.described or phrase.relative:
        raise NoSentenceError
    reason = _reason(writer, reasons_of(phrase.noun, causes[sense]), main, phrase, False)
    return _explained(main, phrase, "because", reason, mode, address, named=True)


def mood(writer: Writer, mode: str, address: Address) -> Draft:
    """ "the girl listens to music when she is sad ." """
    sense = writer.choose([s for s in SENSES_OF[writer.topic] if s.because])
    main = _main_clause(writer, sense, False, time=False)
    phrase = _antecedent(main.subject)
    if _in_a_mood(phrase) or is_relative(main.object):
        raise NoSentenceError
    writer.add_frequency(main, sense, main.predicate.tense, False)
    reasons = [a for a in reasons_of(phrase.noun, sense.because) if a.kind != "state"]
    reason = _reason(writer, reasons, main, phrase, phrase.honorific)
    return _explained(main, phrase, "when", reason, mode, address)


def left_undone(writer: Writer, mode: str, address: Address) -> Draft:
    """ "the boy bought a book but did not read it ." """
    first = writer.choose([s for s in SENSES_OF[writer.topic] if s.verb in _FOLLOWED])
    left = _main_clause(writer, first, False)
    phrase = _antecedent(left.object)
    if left.predicate.tense != "past" or phrase.relative or left.subject is None:
        raise NoSentenceError
    followers = [
        s for s in SENSES if s.verb in _FOLLOWED[first.verb] and phrase.head.text in s.objects
        and "adult" in s.who
    ]  # fmt: skip
    second, subject = writer.choose(followers), left.subject
    refusal = predicate(second, "past", subject.person, subject.honorific, negated=True)
    link, pronoun = Word("but"), Word("them" if phrase.pronoun == "they" else phrase.pronoun)
    pieces = [*left.pieces("but", (link,)), *realise(refusal, mode, address)]
    words = [*left.words, link, *refusal.words, pronoun]
    return Draft(words, pieces, [(pronoun, phrase.head)])


_FOLLOWED = {
    "buy": ("read", "eat", "drink", "wear"), "cook": ("eat",), "make": ("eat", "sell", "drink"),
    "write": ("send",), "cut": ("eat",), "wash": ("eat", "wear"),
}  # fmt: skip


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


def _in_a_mood(phrase: NounPhrase) -> bool:
    """Whether an adjective already tells the mood: "the happy boy ... because he was tired"."""
    return any(word.text in MOODS for word in phrase.words)


def _reason(
    writer: Writer, reasons: Sequence[Adjective], main: Clause, phrase: NounPhrase, honorific: bool
) -> Predicate:
    adjective, tense = writer.choose(reasons), main.predicate.tense
    if (adjective.kind == "state" and tense != "past") or writer.ambiguous(phrase, adjective):
        raise NoSentenceError
    return quality_of(adjective, tense, phrase.person, honorific)


def _explained(
    main: Clause, phrase: NounPhrase, conjunction: str, reason: Predicate,
    mode: str, address: Address, *, named: bool = False,
) -> Draft:  # fmt: skip
    """Join a clause and what is said of a phrase in it by a pronoun; `named`: of its object."""
    pronoun, link = Word(phrase.pronoun), Word(conjunction)
    cause = realise(reason, "because" if conjunction == "because" else "while", (link,))
    if named:
        noun = [
            piece._replace(possible=(pronoun,)) if phrase.head in piece.sure else piece
            for piece in phrase.marked("subject", pronoun)
        ]
        cause = [*noun, *cause]
    pieces = [
        *main.opening_pieces, *main.subject_pieces(topic=True), *cause,
        *main.verb_pieces(mode, address, drop_object=named),
    ]  # fmt: skip
    words = [*main.words, link, pronoun, *reason.words]
    return Draft(words, pieces, [(pronoun, phrase.head)])


# kind of sentence and its weight
KINDS: tuple[tuple[Callable[[Writer, str, Address], Draft], float], ...] = (
    (simple, 36.0),
    (quality, 9.0),
    (location, 3.0),
    (partial(joined, "and"), 9.0),
    (partial(joined, "but"), 6.0),
    (sequence, 6.0),
    (subject_reason, 9.0),
    (object_reason, 8.0),
    (weather_reason, 3.0),
    (meanwhile, 5.0),
    (mood, 4.0),
    (left_undone, 3.0),
    (errand, 5.0),
    (denial, 1.0),
)


def draft(draw: Draw) -> Draft:
    """Draw one sentence. Raises `NoSentenceError` if the choices do not fit together."""
    topic = draw.pick(TOPICS)
    kind = draw.weighted(KINDS)
    polite = draw.chance(0.1)
    writer = Writer(draw, topic, polite=polite, richness=draw.pick((0.0, 0.5, 1.0, 1.6, 2.4)))
    address = (Word(draw.pick(("sir", "ma'am"))),) if polite else ()
    made = kind(writer, "polite" if polite else "plain", address)
    opening = [*address, Word(",")] if polite else []
    end = Word(".")
    return Draft(
        [*opening, *made.words, end], [*made.pieces, Piece(".", (), (end,))], made.antecedents
    )
