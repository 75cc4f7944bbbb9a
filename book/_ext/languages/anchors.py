"""Sections of a translated page keep the ids of the English one.

A Korean heading has no letters for an id and would get one by its number, ``id1``: links to a
section, claims and exercises would lead nowhere, and an address could not be shared between the
languages. Both pages have the same sections in the same order.
"""

import json
import pickle
import re
from functools import cache
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.transforms import SphinxTransform

DOCTREES = "_build/.doctrees"
HEADING = re.compile(r"^#{1,4} (.+)$", re.MULTILINE)
NUMBER = re.compile(r"^(?:\d+\. |\w+ \w+\.\d+: )")  # of a section, of an exercise


class EnglishIds(SphinxTransform):
    """Give a translated page's sections their English ids, before anything refers to them."""

    default_priority: ClassVar[int] = 100

    def apply(self, **_options: object) -> None:
        """Set the ids, and what MyST knows of them."""
        if not self.config.translated_from:
            return
        page = self.env.docname
        english = sections(english_doctree(self.env, page))
        found = list(self.document.findall(nodes.section))
        if len(found) != len(english):
            raise ExtensionError(
                f"{page}: expected {len(english)} sections as in English, got {len(found)}"
            )
        slugs = {}
        for section, (ids, slug) in zip(found, english, strict=True):
            for name in section["names"]:
                self.document.nameids[name] = ids[0]
            section["ids"] = list(ids)
            if slug:
                slugs[slug] = (section.line, ids[0], section[0].astext())
        self.document.ids = {
            each: node
            for node in self.document.findall(nodes.Element)
            for each in node.get("ids", ())
        }
        self.document.myst_slugs = slugs
        self.env.metadata[page]["myst_slugs"] = slugs


def sections(english: nodes.document) -> list[tuple[list[str], str]]:
    """Return ids and slug of every section of an English page."""
    found = english.findall(nodes.section)
    return [([section["ids"][0]], section.get("slug", "")) for section in found]


def english_doctree(env: BuildEnvironment, page: str) -> nodes.document:
    """Return the English page as it was built before."""
    return _read(Path(env.srcdir, env.config.translated_from, DOCTREES, f"{page}.doctree"))


@cache
def _read(path: Path) -> nodes.document:
    read: nodes.document = pickle.loads(path.read_bytes())
    return read


def english_source(env: BuildEnvironment, page: str) -> Path:
    """Return the English notebook of a chapter: the page's own one in the English edition."""
    return Path(env.srcdir, env.config.translated_from, f"{page}.ipynb")


def titles(env: BuildEnvironment, page: str) -> dict[str, str]:
    """Return English heading -> the page's own heading, without numbers."""
    own = Path(env.doc2path(page))
    both = zip(_headings(english_source(env, page)), _headings(own), strict=True)
    return {NUMBER.sub("", english): NUMBER.sub("", own) for english, own in both}


@cache
def _headings(notebook: Path) -> list[str]:
    cells = json.loads(notebook.read_bytes())["cells"]
    prose = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    return [heading for text in prose for heading in HEADING.findall(text)]
