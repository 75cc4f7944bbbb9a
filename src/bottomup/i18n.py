"""Translation of the strings a reader sees: diagnoses, hints, claims, labels.

Prose is translated page by page (``tools/translate``). Strings that Python
prints are not, so they pass through `_`. The language is that of the
environment variable ``BOTTOMUP_LANGUAGE`` (default: English); many strings are
looked up at import, so it is set before.
"""

import io
import json
import os
import re
import sys
from functools import cache
from pathlib import Path

from bottomup.particles import Filled

LOCALE_DIR = Path(__file__).parent / "locale"
# An entry: flags, message, translation. A string's escapes are JSON's.
ENTRY = re.compile(
    r'(?:^#, (?P<flags>.*)\n)?(?:^#.*\n)*^msgid (?P<message>".*(?:\n".*)*)'
    r'\nmsgstr (?P<translation>".*(?:\n".*)*)',
    re.MULTILINE,
)


def _(message: str) -> str:
    """Return `message` in the reader's language, else in English."""
    return catalogue(language()).get(message, message)


def language() -> str:
    """Return the reader's language, such as ``ko``."""
    return os.environ.get("BOTTOMUP_LANGUAGE", "en")


def escape_unknown_signs() -> None:
    """Let a console without a sign show its number, ``\\u2265`` for ≥.

    Printing would end in an error there: Windows' code page 1252 has no Hangul.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def catalogue_file(name: str) -> Path:
    """Return where the messages of a language lie."""
    return LOCALE_DIR / name / "LC_MESSAGES" / "bottomup.po"


@cache
def catalogue(name: str) -> dict[str, str]:
    """Return message -> translation; a language without a file has none.

    The particles of a translation fit what fills its places.
    """
    path = catalogue_file(name)
    found = read(path) if path.exists() else {}
    return {message: Filled(text) for message, text in found.items()}


def read(path: Path) -> dict[str, str]:
    """Return message -> translation of a file, if not fuzzy or empty.

    Raises:
        ValueError: the file has an entry that is not understood.
    """
    text = path.read_text("utf-8")
    entries = list(ENTRY.finditer(text))
    if len(re.findall(r"^\s*msg", text, re.MULTILINE)) != 2 * len(entries):
        raise ValueError(f"{path}: expected msgid and msgstr in turn")
    found = {
        _joined(entry["message"]): _joined(entry["translation"])
        for entry in entries
        if "fuzzy" not in (entry["flags"] or "")
    }
    return {
        message: text for message, text in found.items() if message and text
    }


def _joined(strings: str) -> str:
    """Return the text of strings that stand below each other."""
    return "".join(json.loads(line) for line in strings.split("\n"))
