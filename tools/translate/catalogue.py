"""A catalogue of messages: a ``.po`` file, as editors for translators read and write it.

A file says nothing that changes from one run to the next: no date, no line number. Messages stand
in the order of the page.
"""

from collections.abc import Iterable
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

HEADER = """\
msgid ""
msgstr ""
"Language: {language}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"

"""


def template(messages: Iterable[str | tuple[str, str]]) -> Catalog:
    """Return a catalogue without translations; a message may come with a comment on its place."""
    made = Catalog(charset="utf-8")
    for each in messages:
        message, place = (each, "") if isinstance(each, str) else each
        made.add(message, auto_comments=[place] if place else [])
    return made


def read(path: Path) -> Catalog:
    """Return the catalogue of a file; an empty one where there is none.

    Raises:
        PoFileError: a line of the file is not understood.
    """
    if not path.exists():
        return Catalog(charset="utf-8")
    with path.open("rb") as file:
        return read_po(file, charset="utf-8", abort_invalid=True)


def write(path: Path, catalogue: Catalog, language: str) -> bool:
    """Write a catalogue; say whether the file changed."""
    for message in catalogue:  # Babel guesses: a role of MyST is no placeholder, nor is "85 % of"
        message.flags -= {"python-format", "python-brace-format"}
    body = BytesIO()
    write_po(body, catalogue, width=0, omit_header=True)
    text = (HEADER.format(language=language) + body.getvalue().decode()).rstrip("\n") + "\n"
    if path.exists() and path.read_text("utf-8") == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return True


def merge(kept: Catalog, wanted: Catalog) -> Catalog:
    """Bring a catalogue up to the messages that are wanted now.

    The translation of a message that changed a little stays, marked as fuzzy. What is wanted no
    more is dropped: the repository remembers it, and what a fuzzy one was made for.
    """
    kept.update(wanted, update_creation_date=False)
    kept.obsolete.clear()
    merged = template([])
    for message in wanted:
        if message.id:
            merged[message.id] = kept[message.id]
    return merged


def translations(catalogue: Catalog) -> dict[str, str]:
    """Return message -> translation, without those that are fuzzy or empty."""
    found = {}
    for message in catalogue:
        if message.id and message.string and not message.fuzzy:
            found[str(message.id)] = str(message.string)
    return found
