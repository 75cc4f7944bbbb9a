"""Where, when, how, with whom and with what: the optional parts of a clause."""

from bottomup.data.minilang.chooser import Chooser
from bottomup.data.minilang.clauses import Clause
from bottomup.data.minilang.habits import HABITS, PERFORMED, PLACE_CLASH, SOCIAL, TIME_VERBS
from bottomup.data.minilang.modifiers import FREQUENCY, MANNER, TIMES, Time
from bottomup.data.minilang.nouns import NOUNS, Noun
from bottomup.data.minilang.phrases import NounPhrase, Piece, Word, noun_phrase
from bottomup.data.minilang.senses import Sense
from bottomup.data.minilang.topics import CAST, location_preposition


def add_circumstances(chooser: Chooser, clause: Clause, sense: Sense, doer: NounPhrase) -> None:
    """Add company or manner, a tool and a place, where the sense has room for them."""
    setting: list[Piece] = []
    manner = _manner(chooser, sense, doer, clause)
    if manner and chooser.optional(0.25):
        word = Word(manner)
        clause.rest.append(word)
        clause.manner.append(Piece(MANNER[manner], (word,)))
    elif sense.verb in SOCIAL and not is_animal(doer) and chooser.optional(0.14):
        setting += _company(chooser, clause)
    tool: list[Piece] = []
    if sense.tools and chooser.optional(0.35):
        tool = _with(
            chooser, clause, chooser.fresh([NOUNS[name] for name in sense.tools]), "toward"
        )
    if sense.places and chooser.optional(0.4):
        setting += _place(chooser, clause, sense)
    clause.setting = [*setting, *tool, *clause.setting]


def _manner(chooser: Chooser, sense: Sense, doer: NounPhrase, clause: Clause) -> str:
    if clause.predicate.negated or not sense.manner:
        return ""
    manner = chooser.draw.pick(sense.manner)
    wrong = "alone" if doer.person == "plural" else "together"
    tense = clause.predicate.tense
    praised = tense in ("present", "can") or sense.verb in PERFORMED
    return "" if manner == wrong or (manner == "well" and not praised) else manner


def _company(chooser: Chooser, clause: Clause) -> list[Piece]:
    people = [noun for noun in CAST[chooser.topic] if noun.group in ("elder", "adult", "child")]
    return _with(chooser, clause, chooser.fresh(people), "with")


def _with(chooser: Chooser, clause: Clause, noun: Noun, role: str) -> list[Piece]:
    phrase = noun_phrase(noun, chooser.draw.pick(("the", "a")))
    word = Word("with")
    clause.rest += [word, *phrase.words]
    return phrase.marked(role, word)


def _place(chooser: Chooser, clause: Clause, sense: Sense) -> list[Piece]:
    noun = chooser.fresh([NOUNS[name] for name in sense.places])
    determiner = chooser.draw.pick(("the",) * 6 + ("a",))
    if noun.mass:
        determiner = "" if noun.group == "name" else "the"  # in seoul, in the sea
    phrase = noun_phrase(noun, determiner, adjective=chooser.adjective(noun, PLACE_CLASH))
    word = Word(location_preposition(noun))
    clause.rest += [word, *phrase.words]
    return phrase.marked(sense.place_role, word)


def add_time(chooser: Chooser, clause: Clause, tense: str, negated: bool, *, first: bool) -> None:
    """Add a frequency or a time. `first` puts it before the subject.

    It never stands next to a relative clause, of which it would seem to be a part: not at the end
    behind "the book that he read", not in Korean before 책을 읽은 남자는.
    """
    if clause.sense is None or clause.sense.tenses == ("present", "past"):
        return
    verb = clause.sense.verb
    habit = verb in HABITS and not negated
    if add_frequency(chooser, clause, tense, negated):
        return
    times = [time for time in TIMES if tense in time.tenses and _suits(time, verb)]
    if not habit:
        times = [time for time in times if "present" not in time.tenses]
    if not times or not chooser.optional(0.3):
        return
    words, pieces = _time(chooser.draw.zipf(times))
    related = clause.subject is not None and clause.subject.relative
    if first and related:
        return
    if first or (not related and chooser.draw.chance(0.5)):
        clause.opening, clause.opening_pieces = words, pieces
    else:
        clause.rest += words
        clause.setting = [*pieces, *clause.setting]


def add_frequency(chooser: Chooser, clause: Clause, tense: str, negated: bool) -> bool:
    """Sometimes add "often" and the like to what is done again and again; tell whether it did."""
    habit = clause.sense is not None and clause.sense.verb in HABITS and not negated
    if clause.subject is not None and not clause.subject.definite:
        return False  # "a man usually washes the shirt"
    if not habit or tense not in ("past", "present") or not chooser.optional(0.12):
        return False
    name = chooser.draw.zipf(tuple(FREQUENCY))
    word = Word(name)
    clause.frequency = [word]
    clause.setting.insert(0, Piece(FREQUENCY[name], (word,)))
    return True


def _suits(time: Time, verb: str) -> bool:
    """Whether the verb goes with the time: one becomes a doctor next year, not last night."""
    last = time.english[-1]
    return verb in TIME_VERBS[last] if last in TIME_VERBS else verb != "become"


def is_animal(phrase: NounPhrase) -> bool:
    """Whether the phrase stands for an animal."""
    return phrase.noun is not None and phrase.noun.group == "animal"


def _time(time: Time) -> tuple[list[Word], list[Piece]]:
    words = [Word(text) for text in time.english]
    pieces = []
    for token, places in time.korean:
        linked = tuple(words[place] for place in places)
        bound = token.startswith("-")
        pieces.append(Piece(token, () if bound else linked, linked if bound else ()))
    return words, pieces
