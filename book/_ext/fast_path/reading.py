"""The sections of a chapter, and the seconds that reading each takes, counted in its notebook.

*How we know* is no part of it: it is folded on the page, and looked up.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docutils import nodes

from bottomup.i18n import language

# Adults read English prose that is no fiction at this rate, silently; in other languages the same
# takes as long: Brysbaert (2019). The chapters have 774 Korean words for 1,000 English ones.
WORDS_A_MINUTE = {"en": 238, "ko": 184}.get(language(), 238)
# What is no prose: a line of code is read like about eight words.
SECONDS_A_LINE = 2
SECONDS_A_PICTURE = 15
SECONDS_A_FORMULA = 10

HEADING = re.compile(r"^(#{1,3}) (?:(\d+)\. )?(.+)$", re.MULTILINE)
FORMULA = re.compile(r"\$\$.+?\$\$|\\begin\{equation\*\}.+?\\end\{equation\*\}", re.DOTALL)
NO_PROSE = re.compile(r"<!--.*?-->|\]\([^)]*\)", re.DOTALL)  # records, addresses of links
WORD = re.compile(r"\S*\w\S*")
FOLDED = {"hide-input", "remove-input", "hide-cell", "remove-cell"}
LOOKED_UP = "How we know"


@dataclass
class Section:
    """A section without its subsections: the heading, its depth below the page, its seconds.

    `shown` is the heading in the page's language.
    """

    title: str
    number: str | None = None
    level: int = 0
    seconds: float = 0.0
    shown: str = ""

    @property
    def anchor(self) -> str:
        """The section's anchor on its page, without its number, as MyST makes it."""
        return str(nodes.make_id(self.title))


def on_path(
    notebook: Path,
    titles: Sequence[str],
    shown: Mapping[str, str] | None = None,
    own: Path | None = None,
) -> list[Section]:
    """Return the sections with these titles, and before them what stands above all sections.

    Args:
        notebook: the English one, as the titles are.
        titles: those of the sections.
        shown: the headings of a translated page by the English ones, without numbers.
        own: the notebook of a translated page, whose words are counted.

    Raises:
        ValueError: a title is that of no section or of several, or a subsection's without its
            section's.
    """
    top, *others = sections(notebook, own)
    every = [section.title for section in others]
    for title in titles:
        if every.count(title) != 1:
            raise ValueError(f"{notebook.stem}: {every.count(title)} sections {title!r}")
    found, parent = [top], top
    for section in others:
        parent = section if section.level == 1 else parent
        if section.title in titles:
            if parent not in (*found, section):
                raise ValueError(f"{notebook.stem}: {section.title!r} without {parent.title!r}")
            found.append(section)
    for section in found:
        section.shown = (shown or {}).get(section.title, section.title)
    return found


def minutes(path: Sequence[Section]) -> int:
    """Return the minutes for all of these sections, rounded."""
    return round(sum(section.seconds for section in path) / 60)


def sections(notebook: Path, own: Path | None = None) -> list[Section]:
    """Return the sections of a chapter in their order, first what is above all of them.

    Without `LOOKED_UP` and its subsections, which may have the headings of others. What is counted
    is `own`, the same chapter in another language, if there is one.
    """
    found = every_section(notebook)
    for section, counted in zip(found, every_section(own or notebook), strict=True):
        section.seconds = counted.seconds
    return list(read_through(found))


def every_section(notebook: Path) -> list[Section]:
    """Return all sections of a chapter, first what is above them."""
    found: list[Section] = []
    for cell in json.loads(notebook.read_bytes())["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            found[-1].seconds += code_seconds(source, cell)
            continue
        before, *parts = split_at_headings(source)
        if before.seconds:
            found[-1].seconds += before.seconds
        found += parts
    return found


def read_through(sections: Sequence[Section]) -> Iterator[Section]:
    """Yield the sections but `LOOKED_UP` and what is below it."""
    looked_up = False
    for section in sections:
        if section.level <= 1:
            looked_up = section.title == LOOKED_UP
        if not looked_up:
            yield section


def split_at_headings(prose: str) -> Iterator[Section]:
    """Yield what stands above the first heading of a cell, without a title, and its sections."""
    headings = list(HEADING.finditer(prose))
    ends = [heading.start() for heading in headings] + [len(prose)]
    yield Section("", seconds=prose_seconds(prose[: ends[0]]))
    for heading, end in zip(headings, ends[1:], strict=True):
        marks, number, title = heading.groups()
        seconds = prose_seconds(prose[heading.end() : end])
        yield Section(title, number, level=len(marks) - 1, seconds=seconds)


def prose_seconds(prose: str) -> float:
    """Return the seconds for words and formulae."""
    text, formulae = FORMULA.subn("", prose)
    return word_seconds(NO_PROSE.sub(" ", text)) + formulae * SECONDS_A_FORMULA


def code_seconds(source: str, cell: dict[str, Any]) -> float:
    """Return the seconds for the lines of a cell that show, and for what it prints or draws."""
    tags = cell["metadata"].get("tags", [])
    shown = "" if FOLDED.intersection(tags) else source
    return line_seconds(shown) + sum(map(output_seconds, cell["outputs"]))


def output_seconds(output: dict[str, Any]) -> float:
    """Return the seconds for a picture, for code that is shown, or for words."""
    data = output.get("data", {})
    if "image/png" in data or "text/html" in data:
        return SECONDS_A_PICTURE
    if "text/markdown" in data:
        return line_seconds("".join(data["text/markdown"]))
    return word_seconds("".join(output.get("text", data.get("text/plain", ""))))


def word_seconds(text: str) -> float:
    """Return the seconds for the words of a text."""
    return len(WORD.findall(text)) * 60 / WORDS_A_MINUTE


def line_seconds(code: str) -> float:
    """Return the seconds for lines that are not empty."""
    return sum(SECONDS_A_LINE for line in code.splitlines() if line.strip())
