"""What a token means and which class of words it belongs to, for labels and colours."""

from collections import defaultdict
from collections.abc import Iterable
from functools import cache

from bottomup.checks import shown
from bottomup.data.minilang.grammar.conjugation import ENDINGS
from bottomup.data.minilang.grammar.particles import CLASSIFIERS, PARTICLE_GLOSSES
from bottomup.data.minilang.lexicon.modifiers import (
    ADJECTIVES,
    DEGREE,
    FREQUENCY,
    MANNER,
    NUMERALS,
    TIMES,
)
from bottomup.data.minilang.lexicon.nouns import NOUNS
from bottomup.data.minilang.lexicon.senses import SENSES
from bottomup.data.minilang.lexicon.verbs import VERBS
from bottomup.data.vocabulary import composed

# The classes of words, the same on both sides.
CLASSES = (
    "noun", "pronoun", "verb", "adjective", "adverb", "time", "number", "function", "punctuation",
    "unknown",
)  # fmt: skip

_FREE = {
    "나": "I", "저": "I.HUM", "너": "you", "우리": "we", "저희": "we.HUM", "내": "my",
    "제": "my.HUM", "이": "this", "않": "not", "못하": "cannot", "있": "be", "계시": "be.HON",
    "없": "not.be", "아니": "not.be", "것이": "will", "수": "way", "때": "when", "때문": "because",
    "비": "rain", "눈": "snow", "오": "come", ".": ".",
    "어제": "yesterday", "오늘": "today", "내일": "tomorrow", "지금": "now", "매일": "every.day",
    "아침": "morning", "저녁": "evening", "어젯밤": "last.night", "지난주": "last.week",
    "내년": "next.year", "일요일": "sunday", "월요일": "monday", "겨울": "winter", "봄": "spring",
}  # fmt: skip
_PRONOUNS = "i you we he she it they them my this 나 저 너 우리 저희 내 제 이".split()
_CONTENT_TIMES = (
    "yesterday today tomorrow now every day morning last night week next year evening sunday "
    "monday winter spring"
).split()
_FUNCTION = (
    "the a an and but because when who that to in on at with for not am is are was were be do does "
    "did will can cannot sir ma'am 않 못하 것이 수 때 때문"
).split()


@cache
def _glosses() -> dict[str, str]:
    table: dict[str, list[str]] = defaultdict(list)
    for noun in NOUNS.values():
        table[noun.korean].append(noun.english)
    for sense in SENSES:
        table[sense.stem].append(sense.verb)
        table[sense.honorific].append(f"{sense.verb}.HON")
        table[sense.humble].append(f"{sense.verb}.HUM")
        table[sense.negative].append(f"not.{sense.verb}")
    for adjective in ADJECTIVES:
        table[adjective.stem].append(adjective.english)
        table[adjective.honorific].append(f"{adjective.english}.HON")
    for words in (MANNER, FREQUENCY, DEGREE, NUMERALS):
        for english, korean in words.items():
            table[korean].append(english)
    table.pop("")  # of stems that are not there
    glosses = {token: "/".join(dict.fromkeys(names)) for token, names in table.items()}
    bound = {**ENDINGS, **PARTICLE_GLOSSES, **{f"-{name}": "-CL" for name in CLASSIFIERS}}
    return {**glosses, **bound, **_FREE}


@cache
def _senses() -> dict[tuple[str, str], str]:
    """The gloss of an ambiguous token behind a word of the source: ("쓰", "wrote") -> "write"."""
    table: dict[tuple[str, str], str] = {}
    for sense in SENSES:
        for stem, mark in ((sense.stem, ""), (sense.honorific, ".HON"), (sense.humble, ".HUM")):
            words = VERBS[sense.verb] if stem else ()
            table.update({(stem, word): sense.verb + mark for word in words})
    table["-에", "to"] = "-to"
    table.update({(token, "and"): "-and" for token in ("-과", "-와")})
    table.update({("-고", verb.ing): "-PROG" for verb in VERBS.values()})
    table.update({(token, "for"): "-toward" for token in ("-로", "-으로")})
    return table


def gloss(token: str, source: Iterable[str] = ()) -> str:
    """The English gloss of a target token: "책" -> "book", "-께서" -> "-NOM.HON", "-권" -> "-CL".

    A stem with several senses shows them all: "쓰" -> "wear/write". The words of the source that it
    translates, if they are given in `source`, choose one: "쓰" with ("wrote",) -> "write". A token
    that is not in the lexicon, an English word for instance, is returned as it is.
    """
    token = _word(token)
    for word in map(_word, source):
        if (token, word) in _senses():
            return _senses()[token, word]
    return _glosses().get(token, token)


@cache
def _classes() -> dict[str, str]:
    table: dict[str, str] = {}
    for noun in NOUNS.values():
        table.update(dict.fromkeys((noun.english, noun.plural, noun.korean), "noun"))
    for verb in VERBS.values():
        table.update(dict.fromkeys(verb, "verb"))
    for sense in SENSES:
        stems = (sense.stem, sense.honorific, sense.humble, sense.negative)
        table.update(dict.fromkeys(stems, "verb"))
    for adjective in ADJECTIVES:
        names = (adjective.english, adjective.stem, adjective.honorific)
        table.update(dict.fromkeys(names, "adjective"))
    for words in (MANNER, FREQUENCY, DEGREE):
        table.update(dict.fromkeys((*words, *words.values()), "adverb"))
    table.update(dict.fromkeys((*NUMERALS, *NUMERALS.values()), "number"))
    times = [token for time in TIMES for token, _ in time.korean if not token.startswith("-")]
    table.update(dict.fromkeys((*_CONTENT_TIMES, *times), "time"))
    table.update(dict.fromkeys(_PRONOUNS, "pronoun"))
    classifiers = [f"-{name}" for name in CLASSIFIERS]
    function = (*_FUNCTION, *ENDINGS, *PARTICLE_GLOSSES, *classifiers)
    table.update(dict.fromkeys(function, "function"))
    table.update(dict.fromkeys(".,", "punctuation"))
    table.update(dict.fromkeys("계시 아니 rained snowed".split(), "verb"))
    table.update(dict.fromkeys("비 눈".split(), "noun"))
    table.pop("", None)
    return table


def word_class(token: str) -> str:
    """The class of a token of either language, one of `CLASSES`: "book" and "책" -> "noun".

    The function words of English (articles, prepositions, auxiliaries, conjunctions) share the
    class "function" with the particles, endings and classifiers of Korean.
    """
    return _classes().get(_word(token), "unknown")


def _word(token: str) -> str:
    if not isinstance(token, str):
        raise TypeError(f"token: expected a string, got {shown(token)}")
    return composed(token)
