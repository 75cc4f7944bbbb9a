"""What grammar alone does not forbid and a reader would still stumble over."""

import pytest

from bottomup.data.minilang import SentencePair
from bottomup.data.minilang.lexicon.habits import MOODS, NEVER_FIRST, OBJECT_CLASH, related
from bottomup.data.minilang.lexicon.modifiers import ADJECTIVES, DEGREE, FREQUENCY, NUMERALS, TIMES
from bottomup.data.minilang.lexicon.nouns import NOUNS, PEOPLE_GROUPS
from bottomup.data.minilang.lexicon.senses import SENSES
from bottomup.data.minilang.lexicon.topics import fits, reasons_of
from bottomup.data.minilang.lexicon.verbs import VERBS

BASE = {form: verb.base for verb in VERBS.values() for form in verb}
BY_KOREAN = {noun.korean: noun for noun in NOUNS.values()}
BY_ENGLISH = {name: noun for noun in NOUNS.values() for name in (noun.english, noun.plural) if name}
DETERMINERS = ("the", "a", "an", "this", "my", *NUMERALS)
ADJECTIVE_WORDS = {adjective.english for adjective in ADJECTIVES}
JOINTS = {"and", "but", "when", "because", "who", "that"}


def single_clauses(pairs) -> list[SentencePair]:
    return [pair for pair in pairs if not JOINTS & set(pair.source) and "," not in pair.source]


def followers(pairs, *tokens: str) -> set[str]:
    return {
        after
        for pair in pairs
        for token, after in zip(pair.target, pair.target[1:], strict=False)
        if token in tokens
    }


def test_well_never_stands_before_a_verb_in_hada(pairs):
    # 수영을 잘한다, not 잘 수영한다; 춤을 잘 춘다, not 잘 춤춘다
    after = followers(pairs, "잘")
    assert len(after) > 5
    assert [stem for stem in after if stem.endswith("하") or stem == "춤추"] == []


def test_attributes_are_never_predicates(pairs):
    assert followers(pairs, "새롭", "늙") == {"-ㄴ"}
    for pair in single_clauses(pairs):
        if pair.source[-2] == "good":
            assert not {BY_ENGLISH[w].group for w in pair.source if w in BY_ENGLISH} & {"adult"}


def test_a_denied_deed_has_no_indefinite_or_counted_subject(pairs):
    denied = [pair for pair in single_clauses(pairs) if "not" in pair.source]
    assert len(denied) > 50
    assert [p for p in denied if p.source[0] in ("a", "an")] == []
    assert [p for p in denied if set(p.source) & set(NUMERALS)] == []


def test_habits_have_a_definite_subject(pairs):
    habits = [pair for pair in single_clauses(pairs) if set(pair.source) & set(FREQUENCY)]
    assert len(habits) > 10
    assert [pair for pair in habits if pair.source[0] in ("a", "an", *NUMERALS)] == []


def test_clauses_joined_by_and_belong_to_one_activity(pairs):
    found = 0
    for pair in pairs:
        if JOINTS & set(pair.source) != {"and"} or pair.source.count("and") > 1:
            continue
        middle = pair.source.index("and")
        left = [BASE[word] for word in pair.source[:middle] if word in BASE]
        right = [BASE[word] for word in pair.source[middle:] if word in BASE]
        if left and right:
            found += 1
            assert related(left[-1], right[0]), pair.source
    assert found > 100


def test_one_subject_never_moves_and_then_does_something_else(pairs):
    # Korean joins these with -어서: 학교에 가서 공부했다.
    for pair in pairs:
        if JOINTS & set(pair.source) == {"and"} and pair.source.count("and") == 1:
            middle = pair.source.index("and")
            left = [BASE[word] for word in pair.source[:middle] if word in BASE]
            if left and pair.source[middle + 1] in BASE:
                assert left[-1] not in NEVER_FIRST, pair.source


def test_a_contrast_without_object_repeats_its_verb(pairs):
    found = 0
    for pair in pairs:
        if JOINTS & set(pair.source) == {"but"} and "not" in pair.source:
            middle = pair.source.index("but")
            left = [BASE[word] for word in pair.source[:middle] if word in BASE]
            right = [BASE[word] for word in pair.source[middle:] if word in BASE]
            undone = pair.source[middle + 1] in ("did", "does", "do")
            found += not undone
            assert undone or left[-1] == right[0], pair.source
    assert found > 20


def test_nobody_becomes_something_at_an_hour(pairs):
    times = [" ".join(time.english) for time in TIMES if time.english[-1] != "year"]
    for pair in single_clauses(pairs):
        if {"become", "became"} & set(pair.source):
            assert [time for time in times if f" {time} " in " ".join(pair.source)] == []


def test_he_and_she_could_stand_for_nobody_else(pairs):
    found = 0
    for pair in pairs:
        for pronoun, antecedent in pair.antecedents:
            word = pair.source[pronoun]
            if word not in ("he", "she"):
                continue
            found += 1
            nouns = [BY_ENGLISH[w] for i, w in enumerate(pair.source)
                     if w in BY_ENGLISH and i != antecedent]  # fmt: skip
            rivals = [n for n in nouns if n.group in PEOPLE_GROUPS and n.pronoun in ("", word)]
            assert rivals == [], pair.source
    assert found > 30


def test_the_reason_fits_no_other_thing_of_the_sentence(pairs):
    found = 0
    for pair in pairs:
        for pronoun, antecedent in pair.antecedents:
            reason = pair.source[-2]
            if pair.source[pronoun] != "it" or reason not in ADJECTIVE_WORDS:
                continue
            found += 1
            for place, word in enumerate(pair.source):
                noun = BY_ENGLISH.get(word)
                if noun and noun.pronoun == "it" and place != antecedent:
                    assert not reasons_of(noun, (reason,)), pair.source
    assert found > 50


def test_no_mood_before_a_reason_of_mood(pairs):
    subjects = [pair.source[:antecedent] for pair in pairs
                for pronoun, antecedent in pair.antecedents
                if pair.source[pronoun] in ("he", "she")]  # fmt: skip
    assert len(subjects) > 30
    assert [words for words in subjects if set(MOODS) & set(words)] == []


def test_objects_do_not_quarrel_with_their_verbs(pairs):
    wrong = []
    for pair in pairs:
        for place, word in enumerate(pair.source[:-3]):
            start = place + 2 if pair.source[place + 1] in DETERMINERS else place + 1
            clash = OBJECT_CLASH.get(BASE.get(word, ""), ())
            if pair.source[start] in clash:
                wrong.append(pair.source)
    assert wrong == []


def test_degrees_stand_before_what_has_degrees(pairs):
    colours = {"red", "blue", "yellow", "white", "black"}
    after = {
        (word, said)
        for pair in pairs
        for word, said in zip(pair.source, pair.source[1:], strict=False)
        if word in DEGREE
    }
    assert len(after) > 20
    assert [pair for pair in after if pair[1] in colours or pair == ("very", "delicious")] == []


def test_there_is_one_sea(pairs):
    places = [(p.source[i - 1], p.source[i]) for p in pairs for i, w in enumerate(p.source)
              if w == "sea"]  # fmt: skip
    assert len(places) > 10
    assert {before for before, _ in places} <= {"the", "this", "blue", "deep", "beautiful"}


def test_clauses_joined_by_and_do_not_say_the_same(pairs):
    for pair in pairs:
        if JOINTS & set(pair.source) == {"and"} and pair.source.count("and") == 1:
            middle = pair.source.index("and")
            assert pair.source[middle - 1] != pair.source[-2] or pair.source[-2] not in BASE


def test_help_for_an_elder_is_humble(pairs):
    helped = [
        (BY_KOREAN[noun].honorific, stem)
        for pair in pairs
        for noun, particle, stem in zip(pair.target, pair.target[1:], pair.target[2:], strict=False)
        if stem in ("돕", "도와드리") and particle in ("-을", "-를") and noun in BY_KOREAN
    ]
    assert {stem for honorific, stem in helped if honorific} == {"도와드리"}
    assert {stem for honorific, stem in helped if not honorific} == {"돕"}


def test_a_plant_is_no_indirect_object(pairs):
    # "gave water to the flower", not "gave the flower water"
    watered = [
        pair.source
        for pair in pairs
        for noun, role, given in zip(pair.target, pair.target[1:], pair.target[2:], strict=False)
        if noun in ("꽃", "나무") and role == "-에" and given == "물"
    ]
    assert len(watered) > 1
    assert [words for words in watered if "to" not in words] == []


@pytest.mark.parametrize(
    ("verb", "outsiders"),
    [("run", "bird bat duck fish"), ("cross", "bird bat fish baby"), ("build", "lawyer child")],
)
def test_creatures_do_what_they_can(verb, outsiders):
    senses = [sense for sense in SENSES if sense.verb == verb]
    assert [n for n in outsiders.split() for s in senses if fits(NOUNS[n], s.who)] == []


def test_an_entry_with_a_minus_leaves_one_noun_out_of_its_group():
    assert fits(NOUNS["dog"], ("animal", "-bird"))
    assert not fits(NOUNS["bird"], ("animal", "-bird"))


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        ("cook", "eat", True),
        ("play", "sing", True),
        ("make", "like", False),
        ("rain", "eat", False),
    ],
)
def test_related_verbs_share_an_activity(first, second, together):
    assert related(first, second) is related(second, first) is together
