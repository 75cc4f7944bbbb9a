"""Where an exercise stands: the heading in its chapter that has its title."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import nbformat
from docutils import nodes

TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
HEADING = re.compile(r"^### (Exercise (\w+\.\d+): (.+))$", re.MULTILINE)


@dataclass(frozen=True)
class Place:
    """An exercise in its chapter: the number it has there, such as "1b.2", and its anchor."""

    number: str
    anchor: str

    @property
    def test_anchor(self) -> str:
        """The anchor of its test, where it has one."""
        anchor: str = nodes.make_id(f"The test of exercise {self.number}")
        return anchor


@dataclass(frozen=True)
class Chapter:
    """A chapter's number and title, and the places of its exercises by title, in their order."""

    number: str
    title: str
    places: Mapping[str, Place]

    def place(self, title: str) -> Place:
        """Return the place of an exercise.

        Raises:
            ValueError: no heading of the chapter has this title.
        """
        if title not in self.places:
            known = ", ".join(map(repr, self.places)) or "none"
            raise ValueError(f"chapter {self.number} has no exercise {title!r}; it has {known}")
        return self.places[title]


def chapter_page(number: str, documents: Iterable[str]) -> str:
    """Return the document of a chapter.

    Raises:
        ValueError: there is not exactly one.
    """
    found = [name for name in documents if name.startswith(f"chapters/{number}_")]
    if len(found) != 1:
        raise ValueError(f"chapter {number}: expected one page, got {sorted(found)}")
    return found[0]


def read_chapter(number: str, path: str | Path) -> Chapter:
    """Read title and exercises off a chapter's notebook."""
    cells = nbformat.read(path, as_version=4).cells
    prose = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    title = TITLE.search(prose)
    if title is None:
        raise ValueError(f"chapter {number}: expected a heading `# Title`, got none")
    places = {
        name: Place(number=place, anchor=nodes.make_id(heading))
        for heading, place, name in HEADING.findall(prose)
    }
    return Chapter(number, title[1], places)
