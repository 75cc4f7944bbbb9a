"""Choosing what a clause says: who does what to whom, where, when and how."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from bottomup.data.minilang.grammar.clauses import Clause
from bottomup.data.minilang.grammar.phrases import (
    NounPhrase,
    Piece,
    Word,
    coordinated,
    noun_phrase,
    personal,
)
from bottomup.data.minilang.grammar.verb_phrases import predicate
from bottomup.data.minilang.lexicon import habits
from bottomup.data.minilang.lexicon.modifiers import (
    FREQUENCY,
    MANNER,
    NUMERALS,
    TIMES,
    Adjective,
    Time,
)
from bottomup.data.minilang.lexicon.nouns import NOUNS, PEOPLE_GROUPS, Noun
from bottomup.data.minilang.lexicon.senses import Sense
from bottomup.data.minilang.lexicon.topics import (
    CAST,
    SENSES_OF,
    adjectives_of,
    deeds_with,
    fits,
    location_preposition,
    reasons_of,
    receivers_of,
    subjects_of,
)
from bottomup.data.minilang.sentences.draw import Draw

T = TypeVar("T")

# Determiners and the like, with their weights.
SUBJECTS = ("the", 6.0), ("a", 2.0), ("plural", 1.2), ("number", 0.9), ("my", 0.8), ("and", 0.6)
DEFINITE_SUBJECTS = ("the", 8.0), ("plural", 1.0), ("my", 1.0)
PEOPLE = ("the", 6.0), ("a", 2.0), ("my", 1.0), ("plural", 1.0)


class NoSentenceError(Exception):
    """The choices made so far cannot be completed; the caller draws again."""


class Writer:
    """Draws the clauses of one sentence and remembers its nouns.

    Args:
        draw: the random choices.
        topic: one of `topics.TOPICS`.
        polite: whether the sentence is spoken to somebody in the polite style.
        richness: how likely each optional part is, a factor from 0 to 2.4 that spreads the
            lengths.
    """

    def __init__(self, draw: Draw, topic: str, *, polite: bool, richness: float) -> None:
        self.draw = draw
        self.topic = topic
        self.polite = polite
        self.richness = richness
        self.used: set[str] = set()
        self._verb = ""
        self.now = False  # whether "who is dancing" fits the tense of the sentence

    def optional(self, probability: float) -> bool:
        """Whether to add an optional part."""
        return self.draw.chance(probability * self.richness)

    def choose(self, items: Sequence[T]) -> T:
        """One of the items by Zipf's law. Raises `NoSentenceError` if there is none."""
        if not items:
            raise NoSentenceError
        return self.draw.zipf(items)

    def fresh(self, nouns: Iterable[Noun]) -> Noun:
        """A noun that this sentence does not have yet."""
        noun = self.choose([noun for noun in nouns if noun.english not in self.used])
        self.used.add(noun.english)
        return noun

    # --- noun phrases -------------------------------------------------------------------------

    def subject(
        self, sense: Sense | None = None, *, definite: bool = False, described: bool = True
    ) -> NounPhrase:
        """A subject that can do it (anybody of the topic's cast if no sense is given)."""
        nouns = subjects_of(self.topic, sense) if sense else CAST[self.topic]
        self._verb = sense.verb if sense else ""
        human = sense is None or "adult" in sense.who
        if not definite and human and self.draw.chance(0.16 if self.polite else 0.07):
            return self._speaker()
        noun = self.fresh(nouns)
        kind = self.draw.weighted(DEFINITE_SUBJECTS if definite else SUBJECTS)
        single = self._verb in habits.SINGULAR
        if single and kind in ("number", "a", "plural", "and"):
            kind = "the"
        if kind == "and":
            return self._pair(noun, nouns)
        moved = self._verb in ("cry", "laugh")
        return self._living(noun, kind, modified=True, described=described and not moved)

    def _speaker(self) -> NounPhrase:
        """ "i" or "we", humble in the polite style."""
        if self.draw.chance(0.75):
            return personal("i", "저" if self.polite else "나")
        return personal("we", "저희" if self.polite else "우리")

    def _pair(self, noun: Noun, nouns: tuple[Noun, ...]) -> NounPhrase:
        broad = ("child", "animal")  # "the child and the boy": a boy is a child
        alike = [n for n in nouns if n.honorific == noun.honorific and n.english not in broad]
        if noun.english in broad:
            raise NoSentenceError
        other = self.fresh(alike)
        return coordinated(noun_phrase(noun, "the"), noun_phrase(other, "the"))

    def _living(
        self, noun: Noun, kind: str, *, modified: bool = False, described: bool = True
    ) -> NounPhrase:
        if kind in ("number", "plural") and not noun.plural:
            kind = "the"
        if kind == "a" and noun.english in habits.UNIQUE:
            kind = "the"
        determiner = {"number": self._numeral(noun), "plural": "the"}.get(kind, kind)
        if determiner == "my" and noun.english not in habits.MINE:
            determiner = "the"
        adjective = None
        if modified and described and kind != "my":
            adjective = self._adjective(noun, habits.DOER_CLASH.get(self._verb, ()))
        plural, relative = kind == "plural", None
        if modified and kind in ("the", "a", "plural") and self.optional(0.16):
            relative = self._subject_relative(noun, plural, adjective)
        return noun_phrase(
            noun,
            determiner,
            adjective=adjective,
            plural=plural,
            my=self._my(noun),
            relative=relative,
        )

    def _numeral(self, noun: Noun) -> str:
        many = noun.group in ("fruit", "reading", "image", "plant", "tool")
        many = many and self._verb not in ("eat", "cook", "draw", "write")
        few = noun.honorific or noun.group == "vehicle"
        most = 2 if few else len(NUMERALS) if many else 4
        return self.draw.zipf(tuple(NUMERALS)[:most])

    def _adjective(self, noun: Noun, barred: Sequence[str]) -> Adjective | None:
        """Sometimes an adjective that can stand before the noun; none of those `barred`."""
        fitting = [a for a in adjectives_of(noun) if a.english not in barred]
        return self.draw.zipf(fitting) if fitting and self.optional(0.3) else None

    def _my(self, noun: Noun) -> str:
        """The Korean "my": 우리 for family and home."""
        ours = noun.english in habits.OUR
        return ("저희" if ours else "제") if self.polite else "우리" if ours else "내"

    def _thing(
        self, noun: Noun, verb: str, *,
        relative: bool, given: bool, own: bool, described: bool, counted: bool,
    ) -> NounPhrase:  # fmt: skip
        """A noun phrase for an object; `own` and `counted` allow "my" and "three"."""
        if noun.group in PEOPLE_GROUPS:
            kind = self.draw.weighted(PEOPLE)
            kind = "the" if verb in habits.DEFINITE and kind == "a" else kind
            return self._living(noun, "a" if verb in habits.INDEFINITE else kind)
        determiner = self._determiner(noun, verb, own=own, counted=counted)
        clause = None
        if relative and determiner == "the" and self.optional(0.2):
            clause = self.object_relative(noun)
        served = given and noun.group == "drink"
        taught = verb == "teach" or (verb == "learn" and noun.group == "instrument")
        plain = served or taught or noun.group in habits.UNCOUNTED
        adjective = None
        if not (clause or plain) and described:
            adjective = self._adjective(noun, habits.OBJECT_CLASH.get(verb, ()))
        return noun_phrase(
            noun, determiner, adjective=adjective, my=self._my(noun), relative=clause
        )

    def _determiner(self, noun: Noun, verb: str, *, own: bool, counted: bool) -> str:
        if noun.group in habits.UNCOUNTED and noun.english != "game":
            return ""
        single = noun.english in ("subway", "sea")
        if noun.mass and not single:
            if noun.group == "pair":
                return "my" if own and self.draw.chance(0.4) else self.draw.pick(("the", "the", ""))
            return "" if verb in habits.INDEFINITE or self.draw.chance(0.6) else "the"
        taught = verb == "teach" or (verb == "learn" and noun.group == "instrument")
        if taught or single or verb in habits.DEFINITE:
            return "the"
        if verb in habits.INDEFINITE:
            return "a"
        kinds = [("the", 5.0), ("a", 3.0), ("this", 0.4)]
        if counted and verb in habits.COUNTED and noun.plural and noun.classifier:
            kinds.append(("number", 3.0))
        if own and (noun.english in habits.OWN or noun.group in habits.OWN):
            kinds.append(("my", 3.0))
        kind = self.draw.weighted(kinds)
        return self._numeral(noun) if kind == "number" else kind

    # --- relative clauses ---------------------------------------------------------------------

    def _subject_relative(
        self, noun: Noun, plural: bool, adjective: Adjective | None
    ) -> tuple[list[Word], list[Piece]]:
        """ "who read the book": 책을 읽은."""
        mood = adjective.english if adjective else ""
        senses = [
            s
            for s in SENSES_OF[self.topic]
            if fits(noun, s.who)
            and s.verb not in ("become", self._verb)
            and (s.objects or (self.now and s.verb in habits.ONGOING))
            and mood not in habits.DOER_CLASH.get(s.verb, ())
        ]
        sense = self.choose(senses)
        doer = noun_phrase(noun, "the", plural=plural)
        clause = _relative_clause(sense, doer)
        self._add_object(clause, sense, doer, plain=True)
        self._add_receiver(clause, sense, noun.honorific)
        pronoun = Word("that" if noun.group == "animal" else "who")
        return [pronoun, *clause.words], clause.verb_pieces("adnominal", (pronoun,))

    def object_relative(self, noun: Noun, *, gone: bool = False) -> tuple[list[Word], list[Piece]]:
        """ "that the teacher read": 선생님께서 읽으신. `gone` allows "the milk that he drank"."""
        barred = (self._verb,) if gone else (self._verb, *habits.CONSUMING)
        sense = self.choose([s for s in deeds_with(self.topic, noun) if s.verb not in barred])
        subject = self._relative_subject(sense)
        clause = _relative_clause(sense, subject)
        clause.subject = subject
        pronoun = Word("that")
        _humble(clause, sense, noun.honorific)
        pieces = clause.pieces("adnominal", (pronoun,), topic=False)
        return [pronoun, *clause.words], pieces

    def _relative_subject(self, sense: Sense) -> NounPhrase:
        if "adult" in sense.who and self.draw.chance(0.3):
            if not self.polite and self.draw.chance(0.3):  # the polite style has no "you"
                return personal("you", "너")
            return self._speaker()
        noun = self.fresh(subjects_of(self.topic, sense))
        return self._living(noun, self.draw.pick(("the", "the", "my")))

    # --- clauses ------------------------------------------------------------------------------

    def clause(
        self, *, sense: Sense | None = None, subject: NounPhrase | None = None, tense: str = "",
        negated: bool | None = None, shared: NounPhrase | None = None, time: bool = True,
        rich: bool = True, definite: bool = False,
    ) -> Clause:  # fmt: skip
        """Draw a whole clause; `shared` is a subject that was said before and is not repeated."""
        sense = sense or self.draw.zipf(SENSES_OF[self.topic])
        tense = tense or self._tense(sense)
        if negated is None:
            negated = tense in ("past", "present", "future", "can") and self.draw.chance(0.14)
        doer = shared or subject or self.subject(sense, definite=definite or negated)
        said = predicate(sense, tense, doer.person, doer.honorific, negated=negated)
        clause = Clause(said, subject=None if shared else doer)
        self._add_object(clause, sense, doer, plain=not rich)
        self._add_receiver(clause, sense, doer.honorific)
        ends_in_clause = clause.object is not None and clause.object.relative
        if rich and not ends_in_clause:
            self._add_circumstances(clause, sense, doer)
        if time:
            self._add_time(clause, sense, tense, negated, first=ends_in_clause)
        return clause

    def _tense(self, sense: Sense) -> str:
        ongoing = sense.verb in habits.ONGOING
        kinds = [
            (tense, habits.TENSE_WEIGHTS[tense])
            for tense in sense.tenses
            if ongoing or tense in habits.SIMPLE_TENSES
        ]
        if sense.verb in habits.SKILLS:
            kinds.append(("can", habits.TENSE_WEIGHTS["can"]))
        return self.draw.weighted(kinds)

    def _add_object(self, clause: Clause, sense: Sense, doer: NounPhrase, *, plain: bool) -> None:
        if not sense.objects:
            return
        self._verb = sense.verb
        nouns = [NOUNS[name] for name in sense.objects]
        if doer.honorific:
            nouns = [noun for noun in nouns if not noun.honorific]
        if sense.verb == "wear" and doer.pronoun != "she":
            nouns = [noun for noun in nouns if noun.english not in habits.FEMININE]
        phrase = self._thing(
            self.fresh(nouns),
            sense.verb,
            relative=not plain and not sense.to and sense.verb not in (*habits.CREATING, "take"),
            given=bool(sense.to),
            own=doer.person == "i" and sense.verb not in ("buy", "have", "need"),
            described=not _is_animal(doer),
            counted=not clause.predicate.negated,
        )
        before = [Word(sense.preposition)] if sense.preposition else []
        clause.object = phrase
        clause.rest = [*before, *phrase.words]
        clause.object_pieces = phrase.marked(sense.role, *before)
        _humble(clause, sense, phrase.honorific and not sense.to)

    def _add_receiver(self, clause: Clause, sense: Sense, honorific: bool) -> None:
        if not sense.to:
            return
        nouns = [n for n in receivers_of(self.topic, sense) if not (honorific and n.honorific)]
        phrase = self._living(self.fresh(nouns), self.draw.pick(("the", "the", "the", "a")))
        role = "to" if phrase.noun and phrase.noun.group == "plant" else "dative"
        if sense.verb in habits.DOUBLE and role == "dative" and self.draw.chance(0.4):
            clause.rest = [*phrase.words, *clause.rest]
            clause.setting += phrase.marked(role)
        else:
            to = Word("to")
            clause.rest = [*clause.rest, to, *phrase.words]
            clause.setting += phrase.marked(role, to)
        _humble(clause, sense, phrase.honorific)

    # --- how, with whom, with what, where, when -----------------------------------------------

    def _add_circumstances(self, clause: Clause, sense: Sense, doer: NounPhrase) -> None:
        """Add company or manner, a tool and a place, where the sense has room for them."""
        setting: list[Piece] = []
        manner = self._manner(clause, sense, doer)
        if manner and self.optional(0.25):
            word = Word(manner)
            clause.rest.append(word)
            clause.manner.append(Piece(MANNER[manner], (word,)))
        elif sense.verb in habits.SOCIAL and not _is_animal(doer) and self.optional(0.14):
            people = [n for n in CAST[self.topic] if n.group in ("elder", "adult", "child")]
            setting += self._with(clause, people, "with")
        tool: list[Piece] = []
        if sense.tools and self.optional(0.35):
            tool = self._with(clause, [NOUNS[name] for name in sense.tools], "toward")
        if sense.places and self.optional(0.4):
            setting += self._place(clause, sense)
        clause.setting = [*setting, *tool, *clause.setting]

    def _manner(self, clause: Clause, sense: Sense, doer: NounPhrase) -> str:
        if clause.predicate.negated or not sense.manner:
            return ""
        manner = self.draw.pick(sense.manner)
        wrong = "alone" if doer.person == "plural" else "together"
        praised = clause.predicate.tense in ("present", "can") or sense.verb in habits.PERFORMED
        return "" if manner == wrong or (manner == "well" and not praised) else manner

    def _with(self, clause: Clause, nouns: Iterable[Noun], role: str) -> list[Piece]:
        phrase = noun_phrase(self.fresh(nouns), self.draw.pick(("the", "a")))
        word = Word("with")
        clause.rest += [word, *phrase.words]
        return phrase.marked(role, word)

    def _place(self, clause: Clause, sense: Sense) -> list[Piece]:
        noun = self.fresh([NOUNS[name] for name in sense.places])
        determiner = self.draw.pick(("the",) * 6 + ("a",))
        if noun.mass:
            determiner = "" if noun.group == "name" else "the"  # in seoul, in the sea
        adjective = self._adjective(noun, habits.PLACE_CLASH)
        phrase = noun_phrase(noun, determiner, adjective=adjective)
        word = Word(location_preposition(noun))
        clause.rest += [word, *phrase.words]
        return phrase.marked(sense.place_role, word)

    def _add_time(
        self, clause: Clause, sense: Sense, tense: str, negated: bool, *, first: bool
    ) -> None:
        """Add a frequency or a time. `first` puts it before the subject.

        It never stands next to a relative clause, of which it would seem to be a part: not at the
        end behind "the book that he read", not in Korean before 책을 읽은 남자는.
        """
        if sense.tenses == ("present", "past") or self.add_frequency(clause, sense, tense, negated):
            return
        habit = sense.verb in habits.HABITS and not negated
        times = [
            time
            for time in TIMES
            if tense in time.tenses
            and _suits(time, sense.verb)
            and (habit or "present" not in time.tenses)
        ]
        if not times or not self.optional(0.3):
            return
        words, pieces = _time(self.draw.zipf(times))
        related = clause.subject is not None and clause.subject.relative
        if first and related:
            return
        if first or (not related and self.draw.chance(0.5)):
            clause.opening, clause.opening_pieces = words, pieces
        else:
            clause.rest += words
            clause.setting = [*pieces, *clause.setting]

    def add_frequency(self, clause: Clause, sense: Sense, tense: str, negated: bool) -> bool:
        """Sometimes add "often" and the like to what is done again and again; tell whether."""
        if clause.subject is not None and not clause.subject.definite:
            return False  # "a man usually washes the shirt"
        habit = sense.verb in habits.HABITS and not negated
        if not habit or tense not in ("past", "present") or not self.optional(0.12):
            return False
        name = self.draw.zipf(tuple(FREQUENCY))
        word = Word(name)
        clause.frequency = [word]
        clause.setting.insert(0, Piece(FREQUENCY[name], (word,)))
        return True

    def ambiguous(self, phrase: NounPhrase, adjective: Adjective) -> bool:
        """Whether "because it was cold" could speak of another noun of the sentence."""
        own = {phrase.head.text} if phrase.relative else {word.text for word in phrase.words}
        others = [NOUNS[name] for name in self.used]
        return any(
            reasons_of(noun, (adjective.english,))
            for noun in others
            if not own & {noun.english, noun.plural} and _may_be(noun, phrase.pronoun)
        )


def _relative_clause(sense: Sense, doer: NounPhrase) -> Clause:
    tense = "past"
    if sense.tenses == ("present", "past"):
        tense = "present"
    elif not sense.objects:
        tense = "progressive"
    return Clause(predicate(sense, tense, doer.person, doer.honorific))


def _humble(clause: Clause, sense: Sense, honorific: bool) -> None:
    """Change 주다 to 드리다 and 돕다 to 도와드리다 where it is done for an elder."""
    if honorific and sense.humble:
        clause.predicate.stem = Piece(sense.humble, clause.predicate.stem.sure)


def _is_animal(phrase: NounPhrase) -> bool:
    return phrase.noun is not None and phrase.noun.group == "animal"


def _may_be(noun: Noun, pronoun: str) -> bool:
    """Whether the pronoun could stand for the noun; "they" could for any."""
    return pronoun == "they" or noun.pronoun == pronoun or (noun.pronoun == "" and pronoun != "it")


def _suits(time: Time, verb: str) -> bool:
    """Whether the verb goes with the time: one becomes a doctor next year, not last night."""
    last = time.english[-1]
    return verb in habits.TIME_VERBS[last] if last in habits.TIME_VERBS else verb != "become"


def _time(time: Time) -> tuple[list[Word], list[Piece]]:
    words = [Word(text) for text in time.english]
    pieces = []
    for token, places in time.korean:
        linked = tuple(words[place] for place in places)
        bound = token.startswith("-")
        pieces.append(Piece(token, () if bound else linked, linked if bound else ()))
    return words, pieces
