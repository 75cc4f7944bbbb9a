"""What is wrong with the translations of a language, and what is behind.

Of every catalogue what is translated is checked, always. What is not translated, or was translated
from another English, is behind: the page shows it in English under a mark, and the package says it
in English. That turns nothing red but a release, for which a released page must be complete, and so
must the words of the site and of the package as soon as one is released.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from bottomup import i18n
from bottomup.exercises.engine.registry import text_file
from bottomup.exercises.engine.texts import ExerciseText, read_text
from tools.exercises.cells import exercises_of
from tools.notebooks.paths import ROOT, chapter_number
from tools.translate import catalogue, site, strings
from tools.translate.kept import faults, faults_of_string
from tools.translate.merge import wanted
from tools.translate.pages import Page, all_pages, released

OBSOLETE = "#~"
NUMBER_OF_HEADING = re.compile(r"^(?:\d+\. |\w+ \w+\.\d+: )")


def everything(language: str) -> list[str]:
    """Return what is wrong with what is translated, a line each: file, message, fault."""
    done = released(language)
    pages = all_pages()
    found = [f"released.txt: {name} is no page" for name in sorted(done - names())]
    for page in pages:
        found += of_catalogue(page.catalogue(language), faults)
    for path in (site.catalogue(language), strings.catalogue(language)):
        found += of_catalogue(path, faults_of_string)
    if found:  # what reports and headings say is compared where both are understood
        return found
    said = i18n.read(strings.catalogue(language))
    for page in pages:
        if page.name in done and page.is_notebook and page.catalogue(language).exists():
            found += told_alike(page, language, said)
    return found


def behind(language: str) -> list[str]:
    """Return what a release still asks for, a line each: file, message."""
    done = released(language)
    pages = {page.catalogue(language): page.name in done for page in all_pages()}
    found: list[str] = []
    for path, messages in wanted(language):
        if pages.get(path, bool(done)):
            plain = [each if isinstance(each, str) else each[0] for each in messages]
            found += behind_in(path, plain)
    return found


def names() -> set[str]:
    """Return the names of all pages."""
    return {page.name for page in all_pages()}


def of_catalogue(path: Path, check: Callable[[str, str], Iterator[str]]) -> Iterator[str]:
    """Yield what is wrong with a catalogue's file; `check` says it of one translation."""
    if not path.exists():  # of a page on which nothing is translated yet
        return
    try:
        translated = i18n.read(path)  # as the package does
    except ValueError as error:
        yield f"{path}: {error}"
        return
    for english, own in translated.items():
        for fault in check(english, own):
            yield f"{place(path)}: {english[:60]!r}: {fault}"


def behind_in(path: Path, messages: list[str]) -> Iterator[str]:
    """Yield which of the messages of today a catalogue does not translate, and what is left over.

    A message that is in doubt (*fuzzy*) is not translated.
    """
    read = catalogue.read(path)
    translated = catalogue.translations(read)
    for message in dict.fromkeys(messages):
        if message not in translated:
            yield f"{place(path)}: {message[:60]!r}: not translated"
    if [message.id for message in read if message.id] != messages:
        yield f"{place(path)}: not the messages of today: run `python -m tools.translate merge`"
    if path.exists() and OBSOLETE in path.read_text("utf-8"):
        yield f"{place(path)}: obsolete entries"


def place(path: Path) -> Path:
    """Return a path as it is written in the repository."""
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def told_alike(page: Page, language: str, said: dict[str, str]) -> Iterator[str]:
    """Yield where a report calls an exercise or a section otherwise than the chapter does.

    Args:
        page: the chapter.
        language: whose catalogue it has.
        said: what reports say: the package's messages with their translations.
    """
    own = i18n.read(page.catalogue(language))
    for english, told in headings_in_reports(page, own).items():
        if said.get(english, told) != told:  # none: it is behind
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
