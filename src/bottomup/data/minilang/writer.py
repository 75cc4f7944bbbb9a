"""Choosing what a clause says: who does what to whom."""

from bottomup.data.minilang.chooser import Chooser, NoSentenceError
from bottomup.data.minilang.circumstances import add_circumstances, add_time, is_animal
from bottomup.data.minilang.clauses import Clause
from bottomup.data.minilang.draw import Draw
from bottomup.data.minilang.habits import (
    CONSUMING,
    COUNTED,
    CREATING,
    DEFINITE,
    DOER_CLASH,
    DOUBLE,
    FEMININE,
    INDEFINITE,
    MINE,
    OBJECT_CLASH,
    ONGOING,
    OWN,
    SIMPLE_TENSES,
    SINGULAR,
    SKILLS,
    TENSE_WEIGHTS,
    UNCOUNTED,
    UNIQUE,
)
from bottomup.data.minilang.modifiers import NUMERALS, Adjective
from bottomup.data.minilang.nouns import NOUNS, PEOPLE_GROUPS, Noun
from bottomup.data.minilang.phrases import (
    NounPhrase,
    Piece,
    Word,
    coordinated,
    noun_phrase,
)
from bottomup.data.minilang.predicates import predicate
from bottomup.data.minilang.senses import Sense
from bottomup.data.minilang.topics import (
    CAST,
    SENSES_OF,
    deeds_with,
    fits,
    receivers_of,
    subjects_of,
)


class Writer(Chooser):
    """Draws the clauses of one sentence."""

    def __init__(self, draw: Draw, topic: str, *, polite: bool, richness: float) -> None:
        super().__init__(draw, topic, polite=polite, richness=richness)
        self._verb = ""
        self.now = False  # whether "who is dancing" fits the tense of the sentence

    # --- noun phrases -------------------------------------------------------------------------

    def subject(
        self, sense: Sense | None = None, *, definite: bool = False, described: bool = True
    ) -> NounPhrase:
        """A subject that can do it (anybody of the topic's cast if no sense is given)."""
        nouns = subjects_of(self.topic, sense) if sense else CAST[self.topic]
        self._verb = sense.verb if sense else ""
        human = sense is None or "adult" in sense.who
        if not definite and human and self.draw.chance(0.16 if self.polite else 0.07):
            return self.speaker()
        noun = self.fresh(nouns)
        if definite:
            kind = self.draw.weighted((("the", 8.0), ("plural", 1.0), ("my", 1.0)))
        else:
            kind = self.draw.weighted(
                (
                    ("the", 6.0),
                    ("a", 2.0),
                    ("plural", 1.2),
                    ("number", 0.9),
                    ("my", 0.8),
                    ("and", 0.6),
                )
            )
        if sense and sense.verb in SINGULAR and kind in ("number", "a", "plural", "and"):
            kind = "the"
        if kind == "and":
            return self._pair(noun, nouns)
        moved = sense is not None and sense.verb in ("cry", "laugh")
        return self._living(noun, kind, modified=True, described=described and not moved)

    def _pair(self, noun: Noun, nouns: tuple[Noun, ...]) -> NounPhrase:
        broad = ("child", "animal")  # "the child and the boy": a boy is a child
        alike = [n for n in nouns if n.honorific == noun.honorific and n.english not in broad]
        if noun.english in broad:
            raise NoSentenceError
        other = self.fresh(alike)
        return coordinated(noun_phrase(noun, "the"), noun_phrase(other, "the"))

    def _living(
        self, noun: Noun, kind: str, *, modified: bool, described: bool = True
    ) -> NounPhrase:
        if kind in ("number", "plural") and not noun.plural:
            kind = "the"
        if kind == "a" and noun.english in UNIQUE:
            kind = "the"
        determiner = {"number": self._numeral(noun), "plural": "the"}.get(kind, kind)
        if determiner == "my" and noun.english not in MINE:
            determiner = "the"
        adjective = None
        if modified and described and kind != "my":
            adjective = self.adjective(noun, DOER_CLASH.get(self._verb, ()))
        relative = None
        if modified and kind in ("the", "a", "plural") and self.optional(0.16):
            relative = self.subject_relative(noun, plural=kind == "plural", adjective=adjective)
        return noun_phrase(
            noun, determiner, adjective=adjective, plural=kind == "plural",
            possessive=self.possessive(noun), relative=relative,
        )  # fmt: skip

    def _numeral(self, noun: Noun) -> str:
        many = noun.group in ("fruit", "reading", "image", "plant", "tool")
        many = many and self._verb not in ("eat", "cook", "draw", "write")
        few = noun.honorific or noun.group == "vehicle"
        most = 2 if few else len(NUMERALS) if many else 4
        return self.draw.zipf(tuple(NUMERALS)[:most])

    def thing(
        self, noun: Noun, sense: Sense, *,
        relative: bool = False, own: bool = False, described: bool = True, counted: bool = True,
    ) -> NounPhrase:  # fmt: skip
        """A noun phrase for an object; `own` and `counted` allow "my" and "three"."""
        if noun.group in PEOPLE_GROUPS:
            kind = self.draw.weighted((("the", 6.0), ("a", 2.0), ("my", 1.0), ("plural", 1.0)))
            kind = "the" if sense.verb in DEFINITE and kind == "a" else kind
            kind = "a" if sense.verb in INDEFINITE else kind
            return self._living(noun, kind, modified=False)
        determiner = self._determiner(noun, sense.verb, own=own, counted=counted)
        clause = None
        if relative and determiner == "the" and self.optional(0.2):
            clause = self.object_relative(noun)
        given = noun.group == "drink" and sense.to != ()
        taught = noun.group == "instrument" and sense.verb == "learn"
        plain = given or taught or sense.verb == "teach" or noun.group in UNCOUNTED
        adjective = None
        if not (clause or plain) and described:
            adjective = self.adjective(noun, OBJECT_CLASH.get(sense.verb, ()))
        return noun_phrase(
            noun,
            determiner,
            adjective=adjective,
            possessive=self.possessive(noun),
            relative=clause,
        )

    def _determiner(self, noun: Noun, verb: str, *, own: bool, counted: bool) -> str:
        if noun.group in UNCOUNTED and noun.english != "game":
            return ""
        if noun.mass and noun.english not in ("subway", "sea"):
            if noun.group == "pair":
                return "my" if own and self.draw.chance(0.4) else self.draw.pick(("the", "the", ""))
            return "" if verb in INDEFINITE or self.draw.chance(0.6) else "the"
        if verb == "teach" or (verb == "learn" and noun.group == "instrument"):
            return "the"
        if verb in DEFINITE or noun.english in ("subway", "sea"):
            return "the"
        if verb in INDEFINITE:
            return "a"
        own = own and (noun.english in OWN or noun.group in OWN)
        kinds = [("the", 5.0), ("a", 3.0), ("this", 0.4)]
        counted = counted and verb in COUNTED and bool(noun.plural and noun.classifier)
        kinds += [("number", 3.0)] if counted else []
        kinds += [("my", 3.0)] if own else []
        kind = self.draw.weighted(kinds)
        return self._numeral(noun) if kind == "number" else kind

    # --- relative clauses ---------------------------------------------------------------------

    def subject_relative(
        self, noun: Noun, *, plural: bool, adjective: Adjective | None = None
    ) -> tuple[list[Word], list[Piece]]:
        """ "who read the book": 책을 읽은."""
        mood = adjective.english if adjective else ""
        senses = [
            s for s in SENSES_OF[self.topic]
            if fits(noun, s.who) and s.verb not in ("become", self._verb)
            and (s.objects or (self.now and s.verb in ONGOING))
            and mood not in DOER_CLASH.get(s.verb, ())
        ]  # fmt: skip
        sense = self.choose(senses)
        person = "plural" if plural else "third"
        doer = noun_phrase(noun, "the", plural=plural)
        clause = self._relative_clause(sense, noun.honorific, person)
        self._add_object(clause, sense, doer, plain=True)
        self._add_receiver(clause, sense, noun.honorific)
        pronoun = Word("that" if noun.group == "animal" else "who")
        return [pronoun, *clause.words], clause.verb_pieces("adnominal", pronoun)

    def object_relative(self, noun: Noun, *, gone: bool = False) -> tuple[list[Word], list[Piece]]:
        """ "that the teacher read": 선생님께서 읽으신. `gone` allows "the milk that he drank"."""
        barred = (self._verb,) if gone else (self._verb, *CONSUMING)
        senses = [s for s in deeds_with(self.topic, noun) if s.verb not in barred]
        sense = self.choose(senses)
        subject = self._relative_subject(sense)
        clause = self._relative_clause(sense, subject.honorific, subject.person)
        clause.subject = subject
        pronoun = Word("that")
        self._humble(clause, sense, noun.honorific)
        pieces = clause.pieces("adnominal", pronoun, topic=False)
        return [pronoun, *clause.words], pieces

    def _relative_subject(self, sense: Sense) -> NounPhrase:
        if "adult" in sense.who and self.draw.chance(0.3):
            return self.partner()
        noun = self.fresh(subjects_of(self.topic, sense))
        return self._living(noun, self.draw.pick(("the", "the", "my")), modified=False)

    def _relative_clause(self, sense: Sense, honorific: bool, person: str) -> Clause:
        tense = "past"
        if sense.tenses == ("present", "past"):
            tense = "present"
        elif not sense.objects:
            tense = "progressive"
        return Clause(predicate(sense, tense, person, honorific), sense=sense)

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
        clause = Clause(said, subject=None if shared else doer, sense=sense)
        self._add_object(clause, sense, doer, plain=not rich)
        self._add_receiver(clause, sense, doer.honorific)
        ends_in_clause = clause.object is not None and clause.object.relative
        if rich and not ends_in_clause:
            add_circumstances(self, clause, sense, doer)
        if time:
            add_time(self, clause, tense, negated, first=ends_in_clause)
        return clause

    def _tense(self, sense: Sense) -> str:
        ongoing = sense.verb in ONGOING
        kinds = [
            (tense, TENSE_WEIGHTS[tense])
            for tense in sense.tenses
            if ongoing or tense in SIMPLE_TENSES
        ]
        if sense.verb in SKILLS:
            kinds.append(("can", TENSE_WEIGHTS["can"]))
        return self.draw.weighted(kinds)

    def _add_object(self, clause: Clause, sense: Sense, doer: NounPhrase, *, plain: bool) -> None:
        if not sense.objects:
            return
        self._verb = sense.verb
        nouns = [NOUNS[name] for name in sense.objects]
        if doer.honorific:
            nouns = [noun for noun in nouns if not noun.honorific]
        if sense.verb == "wear" and doer.pronoun != "she":
            nouns = [noun for noun in nouns if noun.english not in FEMININE]
        relative = not plain and not sense.to and sense.verb not in (*CREATING, "take")
        own = doer.person == "i" and sense.verb not in ("buy", "have", "need")
        phrase = self.thing(
            self.fresh(nouns), sense, relative=relative, own=own,
            described=not is_animal(doer), counted=not clause.predicate.negated,
        )  # fmt: skip
        before = [Word(sense.preposition)] if sense.preposition else []
        clause.object = phrase
        clause.rest = [*before, *phrase.words]
        clause.object_pieces = phrase.marked(sense.role, *before)
        self._humble(clause, sense, phrase.honorific and not sense.to)

    def _add_receiver(self, clause: Clause, sense: Sense, honorific: bool) -> None:
        if not sense.to:
            return
        nouns = [n for n in receivers_of(self.topic, sense) if not (honorific and n.honorific)]
        phrase = self._living(
            self.fresh(nouns), self.draw.pick(("the", "the", "the", "a")), modified=False
        )
        role = "to" if phrase.noun and phrase.noun.group == "plant" else "dative"
        if sense.verb in DOUBLE and role == "dative" and self.draw.chance(0.4):
            clause.rest = [*phrase.words, *clause.rest]
            clause.setting += phrase.marked(role)
        else:
            to = Word("to")
            clause.rest = [*clause.rest, to, *phrase.words]
            clause.setting += phrase.marked(role, to)
        self._humble(clause, sense, phrase.honorific)

    def _humble(self, clause: Clause, sense: Sense, honorific: bool) -> None:
        """Change 주다 to 드리다 and 돕다 to 도와드리다 where it is done for an elder."""
        if honorific and sense.humble:
            stem = clause.predicate.stem
            clause.predicate.stem = Piece(sense.humble, stem.sure)
