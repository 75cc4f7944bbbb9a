"""Sphinx extension for the key of the concept test: what each wrong option shows.

``{concept-key}`` holds a line for each question: its number, the letter of the right option, an
exercise, and for each wrong letter a mistake of it (or of another one, ``slug/mistake``). The
diagnoses are the catalogue's; a mistake that it does not have fails the build.
"""

import re
from typing import NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from bottomup.exercises import catalog

LINE = re.compile(r"(\d+) ([A-D]) ([\w-]+): (.+)")


class Answer(NamedTuple):
    """One line of the key: the right letter, an exercise, and by wrong letter a diagnosis."""

    number: int
    right: str
    slug: str
    diagnoses: dict[str, str]


def read(line: str) -> Answer:
    """Return what a line says.

    Raises:
        ValueError: it has another form, or names an exercise or a mistake that is unknown.
    """
    found = LINE.fullmatch(line)
    if not found:
        raise ValueError(f"expected 'NUMBER LETTER EXERCISE: LETTER MISTAKE, …', got {line!r}")
    number, right, slug, wrong = found.groups()
    options = dict(option.split(" ") for option in wrong.split(", "))
    return Answer(
        int(number), right, slug, {each: diagnosis(slug, name) for each, name in options.items()}
    )


def diagnosis(slug: str, name: str) -> str:
    """Return the catalogue's diagnosis of a mistake, ``mistake`` or ``slug/mistake``."""
    *other, mistake = name.split("/")
    slug = other[0] if other else slug
    known = {each.slug: each.diagnosis for each in catalog()[slug].mistakes}
    if mistake not in known:
        raise ValueError(f"{slug} has no mistake {mistake!r}")
    return known[mistake]


class ConceptKey(SphinxDirective):
    """The key as a list: number, right letter and exercise, then the wrong letters."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the list."""
        try:
            answers = [read(line) for line in self.content]
        except (KeyError, ValueError) as problem:
            raise self.error(str(problem)) from problem
        return [nodes.definition_list("", *map(self.item, answers))]

    def item(self, answer: Answer) -> nodes.definition_list_item:
        """Return one question of the key."""
        title = catalog()[answer.slug].title
        wrong = [
            nodes.list_item("", nodes.paragraph("", "", *marked_up(f"{letter}. {said}")))
            for letter, said in answer.diagnoses.items()
        ]
        return nodes.definition_list_item(
            "",
            nodes.term("", f"{answer.number} {answer.right} ({title})"),
            nodes.definition("", nodes.bullet_list("", *wrong)),
        )


def marked_up(text: str) -> list[nodes.Node]:
    """Return a diagnosis with its code; backticks are all its markup."""
    parts = text.split("`")
    return [
        nodes.literal("", part) if at % 2 else nodes.Text(part) for at, part in enumerate(parts)
    ]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Offer the directive."""
    app.add_directive("concept-key", ConceptKey)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
