"""Sphinx extension that shows below each exercise what a reader of the site cannot run there.

That is, folded: two typical wrong answers, each with the report that `check` gives on it, and the
solution; and where the exercise can be run. Below the stub of a test, folded: a typical test and a
strong one, with what `catch` says. All is recorded in ``book/wrong_answers`` and ``book/catches``
(``python -m tools.exercises reports``); an exercise of which nothing is recorded is a warning.

``{wrong-answer} CHAPTER SLUG MISTAKE`` shows one of them on another page.

- `block` writes the HTML, which search does not look into: a term leads to the text, not to code;
- `folds` marks the hints of an exercise and the options of the quiz, which stay shut on paper;
- `launch` makes the addresses, from the keys of the settings that name the repository.
"""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import nbformat
from docutils import nodes
from second_build.inputs import depend_on
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from . import block, folds, launch

CHAPTERS = "chapters/"
RECORDED = Path("book/wrong_answers")
RECORDED_TESTS = Path("book/catches")
STYLE, SCRIPT = "recorded_reports.css", "recorded_reports.js"
HOW_TO_USE = "book/how_to_use"
CALL = 'solution("%s")'
CHECK = re.compile(r'^check\("([a-z0-9-]+)", \w+\)$', re.MULTILINE)

TEST = re.compile(r'^    \.\.\.\n+catch\("([a-z0-9-]+)", \w+\)$', re.MULTILINE)

logger = logging.getLogger(__name__)


class WrongAnswer(SphinxDirective):
    """One wrong answer with its report."""

    required_arguments = 3

    def run(self) -> list[nodes.Node]:
        """Return the answer that is recorded."""
        depend_on(self.env, "wrong answers")
        chapter, slug, mistake = self.arguments
        recorded = read_recorded(Path(self.env.app.srcdir, RECORDED, f"{chapter}.json"))
        answers = recorded.get(slug, {"answers": []})["answers"]
        found = [answer for answer in answers if answer["mistake"] == mistake]
        if not found:
            raise self.error(f"{chapter}: no answer to {slug} is recorded as {mistake}")
        return [block.OneAnswer(answer=found[0])]


def add_blocks(app: Sphinx, doctree: nodes.document) -> None:
    """Put a block below the cell of each check, and mark folds (handler of ``doctree-read``)."""
    page = app.env.docname
    folds.mark_options(doctree)
    checks = list(cells_with(CHECK, doctree)) if page.startswith(CHAPTERS) else []
    if not checks:
        return
    depend_on(app.env, "wrong answers")
    chapter = page.removeprefix(CHAPTERS).partition("_")[2]
    recorded = read_recorded(Path(app.srcdir, RECORDED, f"{chapter}.json"))
    stubs = cells_before_check(Path(app.env.doc2path(page)))
    help_page = app.builder.get_relative_uri(page, HOW_TO_USE)
    for slug, cell in checks:
        folds.mark_hints(cell)
        if slug not in recorded:
            logger.warning(f"{slug}: run `python -m tools.exercises reports`", location=cell)
            continue
        links = launch.addresses(app.config.html_theme_options, page, stubs[slug])
        shown = block.WrongAnswers(
            slug=slug, recorded=recorded[slug], links=links, help_page=f"{help_page}#run"
        )
        cell.parent.insert(cell.parent.index(cell) + 1, shown)
        leave_out_call(slug, doctree)
    tests = read_recorded(Path(app.srcdir, RECORDED_TESTS, f"{chapter}.json"))
    for slug, cell in list(cells_with(TEST, doctree)):
        if slug not in tests:
            logger.warning(f"{slug}: run `python -m tools.exercises reports`", location=cell)
            continue
        folded = block.Tests(slug=slug, recorded=tests[slug])
        cell.parent.insert(cell.parent.index(cell) + 1, folded)


def leave_out_call(slug: str, doctree: nodes.document) -> None:
    """Take out the line that names the call of the solution, which the block holds itself."""
    for said in [each for each in doctree.findall(nodes.literal) if each.astext() == CALL % slug]:
        if isinstance(said.parent, nodes.paragraph):
            said.parent.parent.remove(said.parent)


def cells_with(
    pattern: re.Pattern[str], doctree: nodes.document
) -> Iterator[tuple[str, nodes.Element]]:
    """Yield slug and cell of each check, or of each stub of a test, on a page."""
    for cell in list(doctree.findall(nodes.container)):
        if cell.get("nb_element") == "cell_code":
            found = pattern.search(cell.children[0].astext()) if cell.children else None
            if found:
                yield found[1], cell


def cells_before_check(notebook: Path) -> dict[str, str]:
    """Return by slug the id of the cell before a check, which holds the stub."""
    cells = nbformat.read(notebook, as_version=4).cells
    return {
        found[1]: before.id
        for before, cell in pairwise(cells)
        if cell.cell_type == "code" and (found := CHECK.search(cell.source))
    }


def read_recorded(path: Path) -> dict[str, Any]:
    """Return what is recorded of a chapter's exercises, nothing where there is no file."""
    recorded: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return recorded


def add_files(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Give a page with blocks their style and script (handler of ``html-page-context``)."""
    if doctree is not None and any(
        doctree.findall(lambda node: isinstance(node, block.WrongAnswers | block.OneAnswer))
    ):
        app.add_css_file(STYLE)
        app.add_js_file(SCRIPT)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the steps to Sphinx's events."""
    app.add_node(block.WrongAnswers, html=(block.visit, None))
    app.add_node(block.Tests, html=(block.visit_tests, None))
    app.add_node(block.OneAnswer, html=(block.visit_one, None))
    app.add_directive("wrong-answer", WrongAnswer)
    app.connect("doctree-read", add_blocks)
    app.connect("html-page-context", add_files)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
