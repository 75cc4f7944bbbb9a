"""The tables behind written Korean and its glosses, for the page, which writes it in JavaScript.

The rules stand in both languages, and tests compare what they write; the tables stand here alone.
"""

from collections.abc import Sequence
from typing import Any

from bottomup.data.minilang.detokenize import _PRONOUN, _SPACED
from bottomup.data.minilang.glosses import CLASSES, _senses, word_class
from bottomup.data.minilang.grammar.conjugation import (
    _ABSORBS,
    _CONTRACTED,
    _WHOLE,
    ADNOMINAL,
    ENDINGS,
    HONORIFIC,
    IRREGULAR,
    PAST,
    POLITE,
    PRESENT,
    PROSPECTIVE,
    PURPOSE,
)
from bottomup.data.minilang.hangul import FINALS, INITIALS, VOWELS
from bottomup.data.minilang.romanise import (
    _ASPIRATED,
    _DOUBLE,
    _FINAL,
    _INITIAL,
    _NASAL,
    _NEUTRAL,
    _VOWEL,
)


def writing_tables() -> dict[str, Any]:
    """Return what `detokenize`, `conjugate` and `romanise` look up, as JSON can express it."""
    return {
        "letters": {"initials": [*INITIALS], "vowels": [*VOWELS], "finals": [*FINALS]},
        "named_endings": {
            "present": PRESENT,
            "past": PAST,
            "honorific": HONORIFIC,
            "adnominal": ADNOMINAL,
            "prospective": PROSPECTIVE,
            "polite": POLITE,
            "purpose": PURPOSE,
        },
        "endings": [*ENDINGS],
        "irregular": IRREGULAR,
        "whole": [*_WHOLE],
        "absorbs": [*_ABSORBS],
        "contracted": _CONTRACTED,
        "pronouns": _PRONOUN,
        "spaced": sorted(_SPACED),
        "latin": {
            "initials": {letter: latin.strip("_") for letter, latin in _INITIAL.items()},
            "vowels": _VOWEL,
            "finals": _FINAL,
        },
        "sounds": {
            "double": {letter: [*pair] for letter, pair in _DOUBLE.items()},
            "neutral": _NEUTRAL,
            "nasal": _NASAL,
            "aspirated": _ASPIRATED,
        },
    }


def senses(source_words: Sequence[str], target_tokens: Sequence[str]) -> list[list[str]]:
    """Return what a word of the source makes of an ambiguous stem: ["쓰", "wrote", "write"].

    Args:
        source_words, target_tokens: those that a model knows; others are left out. Particles and
            endings, which begin with "-", show all their senses in a translation.
    """
    return [
        [token, word, sense]
        for (token, word), sense in _senses().items()
        if token in target_tokens and word in source_words and not token.startswith("-")
    ]


def classes(source_words: Sequence[str], target_tokens: Sequence[str]) -> dict[str, Any]:
    """Return the names of the classes of words, and of each word and token the number of its class.

    Args:
        source_words, target_tokens: those that a model knows.
    """
    numbers = {name: number for number, name in enumerate(CLASSES)}
    return {
        "names": [*CLASSES],
        "source": [numbers[word_class(word)] for word in source_words],
        "target": [numbers[word_class(token)] for token in target_tokens],
    }
