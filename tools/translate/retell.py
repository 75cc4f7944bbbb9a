"""What the package said in English, said in another language: stored outputs, without a run.

`tools.notebooks.said` knows of which messages an output is made. These are translated; numbers,
code and words of the example sentences stay as they are.
"""

import re
from collections.abc import Mapping
from functools import cache
from unicodedata import east_asian_width

from nbformat import NotebookNode

from bottomup.particles import with_particles
from tools.notebooks import said
from tools.translate import drawn

NO_NAME = re.compile("[a-z]|.* ")  # a name is "LM" or "4,000"

Translations = Mapping[str, str]


def retell(notebook: NotebookNode, found: said.Found, translations: Translations) -> None:
    """Say the outputs of a notebook in the other language, in place, where the package says them.

    Args:
        notebook: whose outputs are in English.
        found: what they are made of.
        translations: message -> translation.
    """
    told = {
        (cell, place, said.in_english(text)): (
            in_columns(text, translations) if place == said.PRINTED else korean(text, translations)
        )
        for cell, place, text in found
        if place or not is_example(text)
    }
    for cell in notebook.cells:

        def say(place: str, english: str, cell: str = cell.id) -> str:
            return told.get((cell, place, english), english)

        for data in said.told_outputs(cell):
            data["text/html"] = said.replaced("".join(data["text/html"]), say)
        for output in said.printed_outputs(cell):
            output.text = said.by_line("".join(output.text), say)


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


def in_columns(text: said.Text, translations: Translations) -> str:
    """Return a printed line in Korean, whose columns stand where they stand in English.

    By what a part is wider, the spaces before or behind it are fewer; one of them stays. A narrower
    part at the end of the line begins where it began.
    """
    line, wider = "", 0
    parts = text if isinstance(text, list) else [text]
    for part in parts:
        if isinstance(part, str):
            rest = part.lstrip(" ")
            spaces = len(part) - len(rest)
            line += " " * _spaces(spaces, wider) + rest
            wider -= spaces - _spaces(spaces, wider)
        else:
            told = korean(part, translations)
            wider += columns(told) - columns(said.in_english(part))
            spaces = len(line) - len(line.rstrip(" "))
            left = spaces if part is parts[-1] and wider < 0 else _spaces(spaces, wider)
            line = line.rstrip(" ") + " " * left + told
            wider -= spaces - left
    return line


def _spaces(there: int, too_wide: int) -> int:
    """Return how many spaces of a gap stay; a single one joins words and is no gap."""
    return max(1, there - too_wide) if there > 1 else there


def columns(text: str) -> int:
    """Return the columns that a text takes where letters have one width, and Hangul two."""
    return sum(1 + (east_asian_width(letter) in "WF") for letter in text)


def is_example(text: said.Text) -> bool:
    """Say whether a text is a word of the example sentences, which a drawing writes, too."""
    return isinstance(text, dict) and text["message"] in _example_words()


@cache
def _example_words() -> set[str]:
    return drawn.example_words()
