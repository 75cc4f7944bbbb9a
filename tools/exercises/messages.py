"""The texts of the exercises as messages, for a translator's catalogue."""

from collections.abc import Iterator

from babel.messages.catalog import Catalog

from bottomup.exercises.engine.registry import ROOM, places, text_file
from bottomup.exercises.engine.texts import read_text


def template() -> Catalog:
    """Return every string of a text that a report, a hint or a list shows, with its file."""
    catalogue = Catalog(domain="bottomup")
    for slug, folder in places().items():
        place = text_file(folder, slug).relative_to(ROOM.parent).as_posix()
        for message in messages(folder, slug):
            catalogue.add(message, auto_comments=[place])
    return catalogue


def messages(folder: str, slug: str) -> Iterator[str]:
    """Yield what is translated of one exercise."""
    text = read_text(text_file(folder, slug))
    yield text.title
    yield from text.hints
    for diagnosis in text.mistakes.values():
        yield diagnosis.see
        yield diagnosis.text
