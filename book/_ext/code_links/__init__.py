"""Sphinx extension that leads from the equation tables of the chapters to the code.

A table with a column of code names what computes an equation: `masked_softmax`, `analysis.kmeans`,
`LanguageModel.unembed`. On the site each name leads to its first line on the page of its source,
and a small link beside it to its entry in the API. No chapter writes where a name is defined; one
that leads nowhere is a warning.

- `tables` finds the names on a page;
- `places` knows where a name is defined, and under which names readers import it;
- `source_pages` sees to it that the line has an anchor, also where no API page leads to it;
- `linked_source` lets the names on those pages lead to their definitions, too.
"""

from typing import Any

from docutils import nodes
from languages.anchors import english_doctree
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.nodes import make_refnode
from sphinx.util.typing import ExtensionMetadata

from . import linked_source, places, source_pages, tables

CHAPTERS = "chapters/"
STYLE, API_STYLE = "code-link", "api-link"
NBSP = "\u00a0"

logger = logging.getLogger(__name__)


def note_names(app: Sphinx, doctree: nodes.document) -> None:
    """Keep which names a chapter's tables hold (handler of ``doctree-read``)."""
    if app.env.docname.startswith(CHAPTERS) and not app.config.translated_from:
        names = [literal.astext() for literal in tables.names(doctree)]
        app.env.metadata[app.env.docname][source_pages.KEPT_AS] = names


def link_names(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Link the names of a chapter's tables (handler of ``doctree-resolved``)."""
    if not docname.startswith(CHAPTERS):
        return
    translated = bool(app.config.translated_from)
    english = english_doctree(app.env, docname) if translated else None
    for literal in list(tables.names(doctree, english)):
        try:
            place = places.find(literal.astext())
        except LookupError as problem:
            logger.warning(str(problem), location=literal)
            continue
        page, anchor = source_pages.address(place)
        if translated:
            literal.replace_self(english_links(app, docname, place, literal.deepcopy()))
            continue
        link = make_refnode(app.builder, docname, page, anchor, literal.deepcopy())
        link["classes"].append(STYLE)
        documented = api_link(app, docname, place)
        if documented is None:
            link["ids"].append(source_pages.way_back(app.env, place))
        literal.replace_self([link, nodes.Text(NBSP), documented] if documented else link)


def api_link(app: Sphinx, docname: str, place: places.Place) -> nodes.reference | None:
    """Return a link to what the API says of a name, None where it says nothing."""
    documented: Any = app.env.get_domain("py").objects  # type: ignore[attr-defined]
    for name in place.public:
        if name in documented:
            entry = documented[name]
            text, tooltip = nodes.Text("API"), f"{place.name} in the API"
            link = make_refnode(app.builder, docname, entry.docname, entry.node_id, text, tooltip)
            link["classes"].append(API_STYLE)
            return link
    return None


def english_links(
    app: Sphinx, docname: str, place: places.Place, literal: nodes.literal
) -> list[nodes.Node]:
    """Return the links of a translated page: source and API are those of the English edition."""
    up = "../" * (docname.count("/") + 1)
    page, anchor = source_pages.address(place)
    found: list[nodes.Node] = [
        nodes.reference("", "", literal, refuri=f"{up}{page}.html#{anchor}", classes=[STYLE])
    ]
    inventory: Any = app.env.intersphinx_named_inventory["english"]  # type: ignore[attr-defined]
    entries = {**inventory.get("py:class", {}), **inventory.get("py:function", {})}
    for name in place.public:
        if name in entries:
            uri = entries[name][2].removeprefix("../")
            link = nodes.reference("", "API", refuri=up + uri, classes=[API_STYLE])
            return [*found, nodes.Text(NBSP), link]
    return found


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the steps to Sphinx's events."""
    app.connect("doctree-read", note_names)
    app.connect("doctree-resolved", link_names)
    # Early: viewcode (500) writes the pages of source code.
    app.connect("html-collect-pages", source_pages.add_anchors, priority=100)
    app.connect("html-page-context", linked_source.link_source)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
