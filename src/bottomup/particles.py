"""Korean particles that fit the sound before them.

A translation gives both forms behind a place, ``{name}와(과)``; what fills the
place decides. ``explorables/shared/words.js`` does the same in a page.
"""

import re

# Letters and digits by their Korean names: do they end in a consonant, and is
# it ㄹ?
VOWEL, CONSONANT, LIQUID = (False, False), (True, False), (True, True)
SOUND = dict.fromkeys("2459abcdefghijkopqstuvwxyz", VOWEL) | {
    "0": CONSONANT, "3": CONSONANT, "6": CONSONANT, "m": CONSONANT,
    "n": CONSONANT, "1": LIQUID, "7": LIQUID, "8": LIQUID, "l": LIQUID,
    "r": LIQUID,
}  # fmt: skip
AFTER_CONSONANT = dict.fromkeys("은이을과", True) | dict.fromkeys(
    "는가를와", False
)
BOTH = re.compile(
    r"(?P<last>[가-힣A-Za-z0-9%])(?P<marks>[^\w{}]*?)"
    r"(?P<both>[은는이가을를와과]\([은는이가을를와과]\)|\(으\)로|으\(로\))"
)
FIRST_OF_HANGUL = ord("가")
# Of a syllable's 28 ends the first is none, ㄱ comes next, ㄹ is the 8th.
ENDS, LIQUID_END = 28, 8


class Filled(str):
    """A sentence whose particles fit what is put into its places."""

    __slots__ = ()

    def format(self, *values: object, **named: object) -> str:
        """Return it with values in its places."""
        return with_particles(super().format(*values, **named))


def with_particles(korean: str) -> str:
    """Return a text with the one of two particles that fits the sound."""
    return BOTH.sub(
        lambda found: (
            found["last"]
            + found["marks"]
            + particle(found["last"], found["both"])
        ),
        korean,
    )


def particle(last: str, both: str) -> str:
    """Return of both forms the one behind a letter, a digit or a syllable."""
    closed, is_liquid = sound(last)
    if "로" in both:
        return "으로" if closed and not is_liquid else "로"
    return next(each for each in both if AFTER_CONSONANT.get(each) == closed)


def sound(letter: str) -> tuple[bool, bool]:
    """Say whether a letter's name ends in a consonant, and whether in ㄹ."""
    if "가" <= letter <= "힣":
        end = (ord(letter) - FIRST_OF_HANGUL) % ENDS
        return end > 0, end == LIQUID_END
    return SOUND.get(letter.lower(), VOWEL)
