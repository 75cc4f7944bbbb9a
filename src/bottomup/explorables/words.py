"""Words of a figure: short enough to be drawn, alone or as a sentence."""

import re
from collections.abc import Iterable
from typing import Any


def short_word(name: str, word: Any, longest: int) -> str:
    """Return `word`, which must have between one and `longest` letters."""
    if not isinstance(word, str):
        raise TypeError(f"{name}: expected a string, got {word!r}")
    if not 1 <= len(word) <= longest:
        raise ValueError(f"{name}: expected a word of 1 to {longest} letters, got {word!r}")
    return word


def short_words(name: str, words: Any, longest: int) -> list[str]:
    """Return the words as a list, each of them as `short_word` wants it."""
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise TypeError(f"{name}: expected a sequence of strings, got {words!r}")
    return [short_word(name, word, longest) for word in words]


def sentence_of(words: Iterable[str]) -> str:
    """Return the words as one line, without a blank before a mark."""
    return re.sub(r" ([.,?])", r"\1", " ".join(words))
