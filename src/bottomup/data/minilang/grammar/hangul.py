"""Hangul syllables as arithmetic on code points.

A syllable block of Unicode has the number ``0xAC00 + (initial * 21 + vowel) * 28 + final``, with 19
initials, 21 vowels and 28 finals (the first final is "none"). Every string this module returns is
composed (NFC). Source: The Unicode Standard, section 3.12, "Conjoining Jamo Behavior".
"""

from typing import NamedTuple

INITIALS = tuple("ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ")
VOWELS = tuple("ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ")
FINALS = ("", *"ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ")
_FIRST, _LAST = 0xAC00, 0xD7A3


class Syllable(NamedTuple):
    """One block: `initial` and `vowel` are letters, `final` is a letter or ""."""

    initial: str
    vowel: str
    final: str


def is_syllable(character: str) -> bool:
    """Whether `character` is one composed Hangul syllable."""
    return len(character) == 1 and _FIRST <= ord(character) <= _LAST


def split(character: str) -> Syllable:
    """Take a syllable apart: 값 -> (ㄱ, ㅏ, ㅄ). Raises `ValueError` for anything else."""
    if not is_syllable(character):
        raise ValueError(f"character: expected one Hangul syllable, got {character!r}")
    number, final = divmod(ord(character) - _FIRST, len(FINALS))
    initial, vowel = divmod(number, len(VOWELS))
    return Syllable(INITIALS[initial], VOWELS[vowel], FINALS[final])


def join(initial: str, vowel: str, final: str = "") -> str:
    """Put a syllable together: (ㄱ, ㅏ, ㅄ) -> 값. Raises `ValueError` for letters out of place."""
    number = INITIALS.index(initial) * len(VOWELS) + VOWELS.index(vowel)
    return chr(_FIRST + number * len(FINALS) + FINALS.index(final))


def final_of(text: str) -> str:
    """The final consonant of the last syllable of `text`; "" if it has none."""
    return split(text[-1]).final if text and is_syllable(text[-1]) else ""


def with_final(text: str, final: str) -> str:
    """`text` with the final consonant of its last syllable replaced: (가, ㄴ) -> 간."""
    initial, vowel, _ = split(text[-1])
    return text[:-1] + join(initial, vowel, final)
