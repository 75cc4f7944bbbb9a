"""Which bold words of a page can be terms: not those of a heading, a sentence or a question."""

import re

from docutils import nodes

# What leads a list item or a paragraph on, "One seed.", or asks the reader something.
SENTENCE = re.compile(r"[.?!]$")
# "1. Why is the query s and not h?": bold and formulae take turns, so that no part need end so.
NUMBERED = re.compile(r"\d+\. ")


def terms(doctree: nodes.Element) -> list[nodes.strong]:
    """Return the bold words of a page that can be terms, in their order."""
    return [strong for strong in doctree.findall(nodes.strong) if can_be_term(strong)]


def can_be_term(strong: nodes.strong) -> bool:
    """Say whether bold words can be a term, by their last sign and by where they stand."""
    if SENTENCE.search(strong.astext()):
        return False
    node: nodes.Element | None = strong.parent
    while node is not None:
        if isinstance(node, nodes.title | nodes.reference) or is_question(node):
            return False
        node = node.parent
    return True


def is_question(node: nodes.Element) -> bool:
    """Say whether a paragraph is the question of a quiz: it begins with a bold number."""
    if not isinstance(node, nodes.paragraph):
        return False
    # The parser sets an empty text before what begins a line.
    first = next((child for child in node.children if child.astext()), None)
    return isinstance(first, nodes.strong) and NUMBERED.match(first.astext()) is not None
