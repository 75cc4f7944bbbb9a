"""Sphinx extension for the form of a lesson: what a reader opens only when it is asked for.

- `show` folds what a cell tagged ``hide-output`` prints or draws, under its code: *Show*; and
  joins the folds of hidden code that follow each other;
- `how_we_know` folds the section of that name, all but its heading, and makes the marks ※ in the
  text, which lead into it;
- `fold` is what both are on a page.

A script of the book's opens a fold to a link that leads into it.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from . import fold, how_we_know, show

CHAPTERS = "chapters/"
STYLE, SCRIPT = "lesson.css", "lesson.js"


def fold_parts(app: Sphinx, doctree: nodes.document) -> None:
    """Make the folds of a chapter (handler of ``doctree-read``)."""
    if app.env.docname.startswith(CHAPTERS):
        show.fold_outputs(doctree)
        show.join_code(doctree)
        how_we_know.fold_section(doctree)


def make_marks(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Give the links that are marks a name and a form (handler of ``doctree-resolved``)."""
    how_we_know.make_marks(doctree)


def add_files(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Give a page with folds or marks their style and script (``html-page-context``)."""
    ours = fold.Fold, how_we_know.Sign
    if doctree is not None and any(doctree.findall(lambda node: isinstance(node, ours))):
        app.add_css_file(STYLE)
        app.add_js_file(SCRIPT, loading_method="defer")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the steps to Sphinx's events."""
    app.add_node(fold.Fold, html=(fold.visit, fold.depart))
    app.add_node(how_we_know.Sign, html=(how_we_know.visit_sign, None))
    # Before Sphinx lists the sections of a page (500): what is folded is not among them.
    app.connect("doctree-read", fold_parts, priority=100)
    app.connect("doctree-resolved", make_marks)
    app.connect("html-page-context", add_files)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
