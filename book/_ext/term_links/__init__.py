"""Sphinx extension that links the terms of the chapters to their entries in the glossary.

A chapter prints a term bold where it defines it. On the site such a term leads to its entry, and
the definition's first sentence shows where a pointer rests on it; the notebook keeps plain bold.

- `bold` says which bold words of a page can be terms;
- `matching` finds the name in the glossary that a chapter means;
- `entries` knows where the entries stand, by Sphinx's own identifiers, and how they begin.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.nodes import make_refnode
from sphinx.util.typing import ExtensionMetadata

from . import bold, entries, matching

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


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect it to Sphinx's event."""
    app.connect("doctree-resolved", link_terms)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
