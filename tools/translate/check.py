"""What is wrong with the translations of a language: nothing, on a released page.

Of every catalogue what is translated is checked. A released page must be complete, and so must the
words of the site and of the package as soon as one is released.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from babel.messages.catalog import Catalog

from bottomup import i18n
from bottomup.exercises.engine.registry import text_file
from bottomup.exercises.engine.texts import ExerciseText, read_text
from tools.exercises.cells import exercises_of
from tools.notebooks.paths import ROOT, chapter_number
from tools.translate import catalogue, strings
from tools.translate.kept import faults, faults_of_string
from tools.translate.merge import wanted
from tools.translate.pages import Page, all_pages, released

OBSOLETE = "#~"
NUMBER_OF_HEADING = re.compile(r"^(?:\d+\. |\w+ \w+\.\d+: )")


def everything(language: str) -> list[str]:
    """Return what is wrong, a line each: file, message, fault."""
    done = released(language)
    pages = {page.catalogue(language): page.name in done for page in all_pages()}
    found = [f"released.txt: {name} is no page" for name in sorted(done - names())]
    for path, messages in wanted(language):
        of_page = path in pages
        ready = pages[path] if of_page else bool(done)
        plain = [each if isinstance(each, str) else each[0] for each in messages]
        found += of_catalogue(path, plain, faults if of_page else faults_of_string, ready)
    for page in all_pages():
        if page.name in done and page.is_notebook:
            found += told_alike(page, language)
    return found


def names() -> set[str]:
    """Return the names of all pages."""
    return {page.name for page in all_pages()}


def of_catalogue(
    path: Path, messages: list[str], check: Callable[[str, str], Iterator[str]], ready: bool
) -> Iterator[str]:
    """Yield what is wrong with a catalogue's file.

    Args:
        path: the file.
        messages: those of today.
        check: what is wrong with one translation.
        ready: whether every message must have one.
    """
    try:
        i18n.read(path)  # as the package does
        read = catalogue.read(path)
    except ValueError as error:
        yield f"{path}: {error}"
        return
    place = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    if [message.id for message in read if message.id] != messages:
        yield f"{place}: not the messages of today: run `python -m tools.translate merge`"
    if OBSOLETE in path.read_text("utf-8"):
        yield f"{place}: obsolete entries"
    yield from (f"{place}: {fault}" for fault in of_messages(read, check, ready))


def of_messages(
    read: Catalog, check: Callable[[str, str], Iterator[str]], ready: bool
) -> Iterator[str]:
    """Yield what is wrong with the messages of a catalogue, each with its beginning."""
    for message in read:
        if not message.id:
            continue
        english, own = str(message.id), str(message.string)
        if message.fuzzy and ready:
            yield f"{english[:60]!r}: fuzzy"
        elif own and not message.fuzzy:
            yield from (f"{english[:60]!r}: {fault}" for fault in check(english, own))
        elif ready:
            yield f"{english[:60]!r}: not translated"


def told_alike(page: Page, language: str) -> Iterator[str]:
    """Yield where a report calls an exercise or a section otherwise than the chapter does."""
    own = catalogue.translations(catalogue.read(page.catalogue(language)))
    said = catalogue.translations(catalogue.read(strings.catalogue(language)))
    for english, told in headings_in_reports(page, own).items():
        if said.get(english) != told:
            yield f"{page.name}: a report says {said.get(english)!r}, the heading {told!r}"


def headings_in_reports(page: Page, own: dict[str, str]) -> dict[str, str]:
    """Return what reports call exercises and sections: English -> the heading of the page."""
    texts = [text for _, text in exercise_texts(page)]
    titles = {text.title for text in texts}
    sections = {each.see for text in texts for each in text.mistakes.values()}
    headings = {without_number(english): without_number(told) for english, told in own.items()}
    return {each: headings[each] for each in sorted(titles | sections) if each in headings}


def exercise_texts(page: Page) -> list[tuple[str, ExerciseText]]:
    """Return the exercises of a chapter: slug and text."""
    found = exercises_of(chapter_number(page.path))
    return [(slug, read_text(text_file(folder, slug))) for folder, slug in found]


def without_number(heading: str) -> str:
    """Return a heading without the number of its section or exercise."""
    return NUMBER_OF_HEADING.sub("", heading)
