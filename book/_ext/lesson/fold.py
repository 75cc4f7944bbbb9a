"""A fold of a page: a line, and below it what shows when a reader opens it."""

from html import escape

from docutils import nodes
from sphinx.writers.html5 import HTML5Translator


class Fold(nodes.General, nodes.Element):  # type: ignore[misc]  # docutils is untyped
    """What is folded, with the kind of fold, which is its class, and its line."""


def fold(kind: str, line: str, *content: nodes.Node) -> Fold:
    """Return a fold of some content."""
    return Fold("", *content, kind=kind, line=line)


def visit(translator: HTML5Translator, node: Fold) -> None:
    """Write the line."""
    line = f"<summary>{escape(node['line'])}</summary>"
    translator.body.append(f'<details class="{node["kind"]}">{line}\n')


def depart(translator: HTML5Translator, node: Fold) -> None:
    """Close the fold."""
    translator.body.append("</details>\n")
