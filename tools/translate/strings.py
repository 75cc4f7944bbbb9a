"""The strings of the package and the site's extensions: everything that passes through ``_``."""

import ast
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import yaml

from bottomup.exercises.engine.registry import places, text_file
from bottomup.experiments.engine.entries import LOADER, TEXTS
from bottomup.i18n import catalogue_file
from tools import claims
from tools.exercises.messages import messages as of_exercise
from tools.notebooks import plots, said
from tools.notebooks.paths import ROOT, SOURCE, all_chapters
from tools.translate import drawn

PACKAGE = SOURCE / "bottomup"
EXTENSIONS = ROOT / "book" / "_ext"
# A paper's name, and places in it, which the ledger tells in the reader's language.
SMALL = re.compile(r"\b[a-z]{3,}\b")
PLACES = {"abstract", "and", "appendix", "equation", "figure", "row", "rows", "section", "table"}
MARK = "_"  # what a message is passed to in Python


def catalogue(language: str) -> Path:
    """Return where the messages lie: with the package, which asks for them."""
    return catalogue_file(language)


def messages() -> list[tuple[str, str]]:
    """Return every message once, with the place where it stands first."""
    found: dict[str, str] = {}
    sources = _of_exercises(), _in_code(), _of_claims(), drawn.messages(), _of_chapters()
    for message, place in chain.from_iterable(sources):
        found.setdefault(message, place)
    return list(found.items())


def _of_exercises() -> Iterator[tuple[str, str]]:
    for slug, folder in places().items():
        path = text_file(folder, slug)
        for message in of_exercise(folder, slug):
            yield message, path.relative_to(PACKAGE).as_posix()


def _of_claims() -> Iterator[tuple[str, str]]:
    """Yield the texts of claims; of sources those that say more than a name and a place."""
    for path in claims.paths():
        room = yaml.load(path.read_text("utf-8"), LOADER)
        for entry in (room.get("defaults", {}), *room["claims"]):
            for text in filter(None, map(entry.get, TEXTS)):
                if text != entry.get("source") or not PLACES.issuperset(SMALL.findall(text)):
                    yield text, path.relative_to(PACKAGE).as_posix()


def _of_chapters() -> Iterator[tuple[str, str]]:
    """Yield what the cells of chapters call things in their figures and plots."""
    kept = drawn.example_words()
    for chapter in all_chapters():
        labels = [label for svg in plots.stored(chapter).values() for label in plots.labels(svg)]
        texts = (text for _cell, _place, text in said.stored(chapter))
        for message in (*labels, *chain.from_iterable(map(said.messages, texts))):
            if message not in kept and drawn.WORD.search(message):
                yield message, f"chapters/{chapter.stem}"


def _in_code() -> Iterator[tuple[str, str]]:
    for root in (PACKAGE, EXTENSIONS):
        for path in sorted(root.rglob("*.py")):
            place = path.relative_to(root.parent if root is EXTENSIONS else root).as_posix()
            for message in marked(path.read_text("utf-8")):
                yield message, place


def marked(code: str) -> list[str]:
    """Return the messages of Python code in their order, also those within f-strings."""
    found = [
        (node.lineno, node.col_offset, node.args[0].value)
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == MARK
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    ]
    return [message for _line, _column, message in sorted(found, key=lambda each: each[:2])]
