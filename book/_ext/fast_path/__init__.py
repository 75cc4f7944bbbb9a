"""Sphinx extension for the fast path: one evening through the book, marked on each chapter.

``book/fast_path.yml`` names the sections that are on it. On a chapter's page

- a line below the title leads to them and says how many minutes they take;
- a mark stands beside their headings, there and in the list of sections;
- a line at the end of the last one leads to the next chapter on the path;
- a script of the book's folds the others when a reader asks for it.

``{fast-path}`` lists the whole path. A section that a chapter does not have fails the build.

- `reading` counts what is to be read, in the notebooks;
- `shown` makes the nodes.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from languages import anchors
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from . import reading, shown

CHAPTERS = "chapters/"
SECTIONS = "book/fast_path.yml"
WHOLE_PATH = ("book/how_to_use", "one-evening")  # page and anchor of the list
STYLE, SCRIPT = "fast_path.css", "fast_path.js"


class FastPath(SphinxDirective):
    """The whole path: chapters with their sections and minutes, and the sum."""

    def run(self) -> list[nodes.Node]:
        """Return the list, and a sentence on how it was counted."""
        pages = sections_by_page(self.env.srcdir)
        path = [on_path(self.env, page, titles) for page, titles in pages.items()]
        numbers = map(number, pages)
        uri = self.env.app.builder.get_relative_uri
        addresses = [uri(self.env.docname, page) for page in pages]
        entries = map(shown.entry, numbers, addresses, path)
        return [nodes.bullet_list("", *entries), shown.sum_of(path)]


def sections_by_page(root: str | Path) -> dict[str, list[str]]:
    """Return the headings on the path by page, in the order of the book."""
    found: dict[str, list[str]] = yaml.safe_load(Path(root, SECTIONS).read_text("utf-8"))
    return found


def on_path(env: BuildEnvironment, page: str, titles: Sequence[str]) -> list[reading.Section]:
    """Return the sections of a page that are on the path, with the headings of its language."""
    english, own = anchors.english_source(env, page), Path(env.doc2path(page))
    return reading.on_path(english, titles, anchors.titles(env, page), own)


def mark_chapter(app: Sphinx, doctree: nodes.document) -> None:
    """Put the line below a chapter's title, and marks (handler of ``doctree-read``)."""
    page = app.env.docname
    if not page.startswith(CHAPTERS):
        return
    top = next(doctree.findall(nodes.section))
    target, anchor = WHOLE_PATH
    whole = f"{app.builder.get_relative_uri(page, target)}#{anchor}"
    pages = sections_by_page(app.srcdir)
    titles = pages.get(page)
    if titles is None:
        top.insert(1, shown.passed_by(whole))
        return
    sections = on_path(app.env, page, titles)
    shown.mark(top, {section.anchor for section in sections[1:]}, app.env.tocs[page])
    shown.lead_on(top, shown.way_on(whole, following(app, list(pages))))
    top.insert(1, shown.line(sections, whole))


def following(app: Sphinx, pages: Sequence[str]) -> tuple[str, str] | None:
    """Return number and address of the chapter that comes next on the path, if any does."""
    page = app.env.docname
    after = pages[pages.index(page) + 1 :]
    return (number(after[0]), app.builder.get_relative_uri(page, after[0])) if after else None


def number(page: str) -> str:
    """Return a chapter's number, such as 01b."""
    return page.removeprefix(CHAPTERS).partition("_")[0]


def add_assets(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Give a chapter its style sheet and its script (handler of ``html-page-context``)."""
    if page.startswith(CHAPTERS):
        app.add_css_file(STYLE)
        app.add_js_file(SCRIPT, loading_method="defer")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the steps to Sphinx's events."""
    app.add_node(shown.Mark, html=(shown.visit_mark, None))
    app.add_directive("fast-path", FastPath)
    app.connect("doctree-read", mark_chapter)  # after Sphinx has made the list of sections
    app.connect("html-page-context", add_assets)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
