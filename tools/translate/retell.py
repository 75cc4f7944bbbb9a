"""What the package said in English, said in another language: stored outputs, without a run.

`tools.notebooks.said` knows of which messages an output is made. These are translated; numbers,
code and words of the example sentences stay as they are.
"""

import re
from collections.abc import Mapping
from functools import cache

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
