"""What the package said in English, said in another language: stored outputs, without a run.

`tools.notebooks.said` knows of which messages an output is made. These are translated; numbers,
code and words of the example sentences stay as they are.
"""

import re
from collections.abc import Mapping
from functools import cache

from nbformat import NotebookNode

from tools.notebooks import said
from tools.translate import drawn
from tools.translate.kept import AFTER_CONSONANT, SOUND, VOWEL

# A particle of which a translation gives both forms: 와(과), behind what filled its place.
BOTH = re.compile(
    r"(?P<last>[가-힣A-Za-z0-9%])(?P<marks>[^\w{}]*?)"
    r"(?P<both>[은는이가을를와과]\([은는이가을를와과]\)|\(으\)로|으\(로\))"
)
NO_NAME = re.compile("[a-z]|.* ")  # a name is "LM" or "4,000"
FIRST_OF_HANGUL = ord("가")
ENDS, LIQUID_END = 28, 8  # of a syllable: none, ㄱ, … ㄹ is the 8th

Translations = Mapping[str, str]


def retell(notebook: NotebookNode, found: said.Found, translations: Translations) -> None:
    """Say the outputs of a notebook in the other language, in place, where the package says them.

    Args:
        notebook: whose outputs are in English.
        found: what they are made of.
        translations: message -> translation.
    """
    told = {
        (cell, place, said.in_english(text)): korean(text, translations)
        for cell, place, text in found
        if place or not is_example(text)
    }
    for cell in notebook.cells:

        def say(place: str, english: str, cell: str = cell.id) -> str:
            return told.get((cell, place, english), english)

        for data in said.told_outputs(cell):
            data["text/html"] = said.replaced("".join(data["text/html"]), say)


def korean(text: said.Text, translations: Translations) -> str:
    """Return a text in Korean; a message that is not translated stays English."""

    def tell(message: str) -> str:
        if message in translations:
            return translations[message]
        # A chapter's own label, "LM, layer 1": all of it, or nothing.
        parts = [translations.get(part, part) for part in message.split(", ")]
        is_known = not any(part in message and NO_NAME.match(part) for part in parts)
        return ", ".join(parts) if is_known else message

    return with_particles(said.told(text, tell))


def is_example(text: said.Text) -> bool:
    """Say whether a text is a word of the example sentences, which a drawing writes, too."""
    return isinstance(text, dict) and text["message"] in _example_words()


@cache
def _example_words() -> set[str]:
    return drawn.example_words()


def with_particles(korean: str) -> str:
    """Return a text with the one of two particles that fits the sound before it."""
    return BOTH.sub(
        lambda found: found["last"] + found["marks"] + _particle(*found.groups()), korean
    )


def _particle(last: str, _marks: str, both: str) -> str:
    closed, is_liquid = sound(last)
    if "로" in both:
        return "으로" if closed and not is_liquid else "로"
    return next(each for each in both if AFTER_CONSONANT.get(each) == closed)


def sound(letter: str) -> tuple[bool, bool]:
    """Say whether a letter's name, or a syllable, ends in a consonant, and whether that is ㄹ."""
    if "가" <= letter <= "힣":
        end = (ord(letter) - FIRST_OF_HANGUL) % ENDS
        return end > 0, end == LIQUID_END
    return SOUND.get(letter.lower(), VOWEL)
