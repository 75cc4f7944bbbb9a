"""The words of the drawings, as messages: every drawing is made, and what it asks for is noted.

Numbers that a drawing computes stand in its messages. Words of the mini-language stay English.
"""

import re
from collections.abc import Iterator
from unittest.mock import patch

from bottomup.data import minilang
from bottomup.drawings.engine import canvas, drawing
from tools.notebooks.drawings import every

# Words of the mini-language that the course says of other things: they are no examples.
LABELS = {
    *("alone", "answer", "clean", "cross", "cut", "fixed", "full", "key", "learned", "left"),
    *("next", "station", "wide", "window", "writing"),
}
SENTENCES = 2_000  # of the mini-language: enough for all its words
FORMULA = re.compile(r"\$[^$]*\$")
WORD = re.compile(r"[^\W\d_]{3}|[^\W\d_]{2} [^\W\d_]{2}")


def messages() -> Iterator[tuple[str, str]]:
    """Yield what the drawings say, each with the module and function that says it first."""
    known = example_words()
    found: dict[str, str] = {}
    for name, draw in every():
        asked: list[str] = []

        def note(message: str, asked: list[str] = asked) -> str:
            asked.append(message)
            return message

        with patch.object(canvas, "_", note), patch.object(drawing, "_", note):
            draw()
        for message in asked:
            found.setdefault(message, f"drawings/{name}")
    for message, place in found.items():
        if message not in known and WORD.search(FORMULA.sub("", message)):
            yield message, place


def example_words() -> set[str]:
    """Return the English words of the mini-language, and the glosses of its Korean tokens."""
    pairs = minilang.load(SENTENCES).train
    words = {word for pair in pairs for word in pair.source} | {
        minilang.gloss(token) for pair in pairs for token in pair.target
    }
    return words - LABELS
