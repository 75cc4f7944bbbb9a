"""Where the entries of the glossary stand, and how each begins."""

import re
from collections.abc import Iterable
from typing import TypeAlias

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.environment import BuildEnvironment

# The page and the anchor of an entry, or of one of its further names.
Place: TypeAlias = tuple[str, str]

BEFORE_STOP = re.compile(r"\s+(?=[.,;:])")
FIRST_SENTENCE = re.compile(r".+?[.?](?=\s|$)", re.DOTALL)
FORMULA = "$"


def by_name(env: BuildEnvironment) -> dict[str, Place]:
    """Return the place of every name in the glossary, the names in small letters."""
    objects = env.get_domain("std").get_objects()
    return {
        name.casefold(): (page, anchor)
        for name, _, kind, page, anchor, _ in objects
        if kind == "term"
    }


def first_sentences(env: BuildEnvironment, places: Iterable[Place]) -> dict[str, str]:
    """Return the first sentence of each entry by anchor, for every name it has."""
    pages = {page for page, _ in places}
    return {key: text for page in pages for key, text in sentences(env.get_doctree(page)).items()}


def sentences(glossary: nodes.document) -> dict[str, str]:
    """Return the first sentence of each entry on a page, unless a formula stands in it."""
    found = {}
    for item in glossary.findall(nodes.definition_list_item):
        *names, definition = item.children
        sentence = first_sentence(definition)
        if sentence is not None:
            anchors = (key for name in names if isinstance(name, nodes.term) for key in name["ids"])
            found.update(dict.fromkeys(anchors, sentence))
    return found


def first_sentence(definition: nodes.Node) -> str | None:
    """Return a definition's first sentence without its citations, which a tooltip can show.

    A formula of one letter is text there; with a longer one the result is None.
    """
    plain = definition.deepcopy()
    for citation in list(plain.findall(pending_xref)):
        citation.parent.remove(citation)
    for formula in list(plain.findall(nodes.math)):
        letter = formula.astext()
        formula.parent.replace(formula, nodes.Text(letter if letter.isalnum() else FORMULA))
    text = BEFORE_STOP.sub("", " ".join(plain.astext().split()))
    found = FIRST_SENTENCE.match(text)
    return found[0] if found and FORMULA not in found[0] else None
