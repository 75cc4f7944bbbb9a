"""The strings of the package and the site's extensions: everything that passes through ``_``."""

from collections.abc import Iterator
from pathlib import Path

from babel.messages.extract import extract_from_file

from bottomup.exercises.engine.registry import places, text_file
from bottomup.i18n import catalogue_file
from tools.exercises.messages import messages as of_exercise
from tools.notebooks.paths import ROOT, SOURCE
from tools.translate import drawn

PACKAGE = SOURCE / "bottomup"
EXTENSIONS = ROOT / "book" / "_ext"
WRAPPED = {"_": None}  # what marks a message in Python


def catalogue(language: str) -> Path:
    """Return where the messages lie: with the package, which asks for them."""
    return catalogue_file(language)


def messages() -> list[tuple[str, str]]:
    """Return every message once, with the place where it stands first."""
    found: dict[str, str] = {}
    for message, place in (*_of_exercises(), *_in_code(), *drawn.messages()):
        found.setdefault(message, place)
    return list(found.items())


def _of_exercises() -> Iterator[tuple[str, str]]:
    for slug, folder in places().items():
        path = text_file(folder, slug)
        for message in of_exercise(folder, slug):
            yield message, path.relative_to(PACKAGE).as_posix()


def _in_code() -> Iterator[tuple[str, str]]:
    for root in (PACKAGE, EXTENSIONS):
        for path in sorted(root.rglob("*.py")):
            place = path.relative_to(root.parent if root is EXTENSIONS else root).as_posix()
            for _line, message, _comments, _context in extract_from_file("python", path, WRAPPED):
                yield str(message), place
