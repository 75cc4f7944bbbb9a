"""Sphinx extension that links the terms of the chapters to their entries in the glossary.

A chapter prints a term bold where it defines it. On the site such a term leads to its entry, and
the definition's first sentence shows where a pointer rests on it; the notebook keeps plain bold.

- `bold` says which bold words of a page can be terms;
- `matching` finds the name in the glossary that a chapter means;
- `entries` knows where the entries stand, by Sphinx's own identifiers, and how they begin;
- `search` tells the search page what they are called.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.nodes import make_refnode
from sphinx.util.typing import ExtensionMetadata

from . import bold, entries, matching, search

CHAPTERS = "chapters/"
STYLE = "term-link"


def link_terms(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Link the terms of a chapter (handler of ``doctree-resolved``)."""
    if not docname.startswith(CHAPTERS):
        return
    found = entries.by_name(app.env)
    sentences = entries.first_sentences(app.env, found.values())
    for strong in bold.terms(doctree):
        name = matching.entry_name(strong.astext(), found)
        if name is None:
            continue
        page, anchor = found[name]
        tooltip = sentences.get(anchor)
        link = make_refnode(app.builder, docname, page, anchor, strong.deepcopy(), tooltip)
        link["classes"].append(STYLE)
        strong.replace_self(link)


def name_entries(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:  # fmt: skip
    """Give the search page the names of the entries (handler of ``html-page-context``)."""
    if pagename == search.PAGE:
        pages = {page for page, _ in entries.by_name(app.env).values()}
        app.add_js_file(None, body=search.script(app.env, pages))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect it to Sphinx's events."""
    app.connect("doctree-resolved", link_terms)
    app.connect("html-page-context", name_entries)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
