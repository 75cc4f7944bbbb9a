"""Sphinx extension that lets a reader answer an exercise in its page, without an installation.

Round the stub of an exercise, its check and what `shown_answers` puts below them, a chapter's page
gets a block that a script of the book's brings to life: the stub becomes an editor, and a worker
runs the course's own `check` on it. Without the script the page stands as it is.

- `block` is that element;
- `words` are what the script says, in the language of the build.

What the worker needs is made before the build and copied beside the site's other files. It may be
missing: then the sizes that the script asks for first are those of nothing.
"""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from docutils import nodes
from shown_answers import CHAPTERS, CHECK, TEST, cells_with
from shown_answers.block import Tests, WrongAnswers
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from bottomup.exercises.engine.registry import find, places
from bottomup.i18n import language

from . import block, words

STYLE, SCRIPT = "answer_here.css", "answer_here.js"
FILES = "_static/answer_here/"  # in the English site, which the Korean one lies below
SIZES = "sizes.json"
MADE = "_build/answer_here"  # by `python -m tools.page build`
EXERCISES, SMALL_TORCH = "book/exercises", "book/small_torch"


def wrap_exercises(app: Sphinx, doctree: nodes.document) -> None:
    """Put a block round the cells of each exercise (handler of ``doctree-read``)."""
    if not app.env.docname.startswith(CHAPTERS):
        return
    for slug, check in list(cells_with(CHECK, doctree)):
        stub = before(check)
        if slug in places() and is_code(stub):
            wrap(slug, "check", find(slug).stub, [stub, check, *shown_below(check)])
    for slug, cell in list(cells_with(TEST, doctree)):
        if slug in places():
            wrap(slug, "catch", find(slug).test_stub, [cell, *shown_below(cell)])


def wrap(slug: str, kind: str, stub: str, parts: Sequence[nodes.Node]) -> None:
    """Put a block round nodes that follow each other."""
    about = {"slug": slug, "kind": kind, "folder": places()[slug], "stub": stub}
    made = block.AnswerHere(**about, hints=len(find(slug).hints) if kind == "check" else 0)
    parent = parts[0].parent
    parent.insert(parent.index(parts[0]), made)
    for part in parts:
        parent.remove(part)
        made += part


def before(cell: nodes.Element) -> nodes.Node | None:
    """Return what stands directly above a cell."""
    place: int = cell.parent.index(cell)
    return cell.parent[place - 1] if place else None


def is_code(node: nodes.Node | None) -> bool:
    """Say whether a node is a cell of code."""
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def shown_below(cell: nodes.Element) -> list[nodes.Node]:
    """Return the block of wrong answers, or of tests, below a cell."""
    below = cell.parent[cell.parent.index(cell) + 1 :][:1]
    return [node for node in below if isinstance(node, Tests | WrongAnswers)]


def add_files(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Give a page with blocks their style, their script and its words (``html-page-context``)."""
    if doctree is None or not any(doctree.findall(block.AnswerHere)):
        return
    up = "../" if getattr(app.config, "translated_from", "") else ""
    about = {
        "language": language(),
        "files": up + context["pathto"](FILES, 1),
        "exercises": context["pathto"](EXERCISES),
        "smallTorch": context["pathto"](SMALL_TORCH),
        "count": len(places()),
        "words": words.for_script(),
    }
    app.add_css_file(STYLE)
    app.add_js_file(None, body=as_json(about), type="application/json", id="answer-here")
    app.add_js_file(SCRIPT, loading_method="defer")


def as_json(content: object) -> str:
    """Return content as JSON that may stand in a script's element."""
    return json.dumps(content, ensure_ascii=False).replace("<", "\\u003c")


def copy_files(app: Sphinx, error: Exception | None) -> None:
    """Copy what a check loads, or write the sizes of nothing (handler of ``build-finished``)."""
    if error is not None or app.builder.format != "html" or language() != "en":
        return
    made, files = Path(app.srcdir, MADE), Path(app.outdir, FILES)
    shutil.rmtree(files, ignore_errors=True)
    if made.exists():
        shutil.copytree(made, files)
    else:
        files.mkdir(parents=True)
        files.joinpath(SIZES).write_text("{}\n", encoding="utf-8")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the steps to Sphinx's events."""
    app.add_node(block.AnswerHere, html=(block.visit, block.depart))
    # Late: shown_answers (500) marks what stands above a check, and adds what stands below it.
    app.connect("doctree-read", wrap_exercises, priority=900)
    app.connect("html-page-context", add_files)
    app.connect("build-finished", copy_files, priority=400)  # before offline_site packs the site
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
