"""What the search page calls the entries of the glossary: Sphinx calls each "Glossary"."""

import json
from collections.abc import Iterable
from html import escape

from docutils import nodes
from sphinx.environment import BuildEnvironment

PAGE = "search"
SCRIPT = "window.glossaryNames = {};"


def script(env: BuildEnvironment, pages: Iterable[str]) -> str:
    """Return a script that says of every anchor of an entry what the entry's names are."""
    found: dict[str, str] = {}
    for page in sorted(pages):
        for item in env.get_doctree(page).findall(nodes.definition_list_item):
            found.update(names(item))
    return SCRIPT.format(json.dumps(found, ensure_ascii=False).replace("</", "<\\/"))


def names(item: nodes.definition_list_item) -> dict[str, str]:
    """Return the names of one entry in a line, as HTML, by the anchors of them all."""
    terms = [child for child in item.children if isinstance(child, nodes.term)]
    text = escape(" · ".join(term.astext() for term in terms))
    return {anchor: text for term in terms for anchor in term["ids"]}
