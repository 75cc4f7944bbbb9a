"""Sphinx extension that shows below each exercise what a reader of the site cannot run there.

That is, folded: two typical wrong answers, each with the report that `check` gives on it, and the
solution; and where the exercise can be run. Below the stub of a test, folded: a typical test and a
strong one, with what `catch` says. ``{wrong-answer} SLUG MISTAKE`` shows one of the answers on
another page.

- `said` has the answers and what is said to them;
- `block` writes the HTML, which search does not look into: a term leads to the text, not to code;
- `folds` marks the hints of an exercise and the options of the quiz, which stay shut on paper;
- `launch` makes the addresses, from the keys of the settings that name the repository.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import nbformat
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from . import block, folds, launch, said

CHAPTERS = "chapters/"
STYLE, SCRIPT = "shown_answers.css", "shown_answers.js"
HOW_TO_USE = "book/how_to_use"
CALL = 'solution("%s")'
CHECK = re.compile(r'^check\("([a-z0-9-]+)", \w+\)$', re.MULTILINE)

TEST = re.compile(r'^    \.\.\.\n+catch\("([a-z0-9-]+)", \w+\)$', re.MULTILINE)

logger = logging.getLogger(__name__)


class WrongAnswer(SphinxDirective):
    """One wrong answer with its report."""

    required_arguments = 2

    def run(self) -> list[nodes.Node]:
        """Return the answer that is shown."""
        slug, mistake = self.arguments
        found = [each for each in said.of(slug).get("answers", []) if each["mistake"] == mistake]
        if not found:
            raise self.error(f"no answer to {slug} is shown as {mistake}")
        return [block.OneAnswer(answer=found[0])]


def add_blocks(app: Sphinx, doctree: nodes.document) -> None:
    """Put a block below the cell of each check, and mark folds (handler of ``doctree-read``)."""
    page = app.env.docname
    folds.mark_options(doctree)
    checks = list(cells_with(CHECK, doctree)) if page.startswith(CHAPTERS) else []
    if not checks:
        return
    stubs = cells_before_check(Path(app.env.doc2path(page)))
    help_page = app.builder.get_relative_uri(page, HOW_TO_USE)
    for slug, cell in checks:
        folds.mark_hints(cell)
        if not (shown := said.of(slug)):
            logger.warning(f"{slug}: there is no such exercise", location=cell)
            continue
        links = launch.addresses(app.config.html_theme_options, page, stubs[slug])
        below = block.WrongAnswers(
            slug=slug, shown=shown, links=links, help_page=f"{help_page}#run"
        )
        cell.parent.insert(cell.parent.index(cell) + 1, below)
        leave_out_call(slug, doctree)
    for slug, cell in list(cells_with(TEST, doctree)):
        if not (tests := said.of(slug).get("tests")):
            logger.warning(f"{slug}: there is no test of ours", location=cell)
            continue
        folded = block.Tests(slug=slug, tests=tests)
        cell.parent.insert(cell.parent.index(cell) + 1, folded)


def leave_out_call(slug: str, doctree: nodes.document) -> None:
    """Take out the line that names the call of the solution, which the block holds itself."""
    for call in [each for each in doctree.findall(nodes.literal) if each.astext() == CALL % slug]:
        if isinstance(call.parent, nodes.paragraph):
            call.parent.parent.remove(call.parent)


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
