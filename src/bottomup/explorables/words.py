"""Words of a figure: short enough to be drawn."""

from typing import Any


def short_word(name: str, word: Any, longest: int) -> str:
    """Return `word`, which must have between one and `longest` letters.

    Raises:
        TypeError: it is no string.
        ValueError: it is empty or longer.
    """
    if not isinstance(word, str):
        raise TypeError(f"{name}: expected a string, got {word!r}")
    if not 1 <= len(word) <= longest:
        raise ValueError(f"{name}: expected a word of 1 to {longest} letters, got {word!r}")
    return word
