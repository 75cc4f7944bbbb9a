"""The block round an exercise: where the script finds its slug, its chapter's folder, its stub."""

from html import escape

from docutils import nodes
from sphinx.writers.html5 import HTML5Translator


class AnswerHere(nodes.General, nodes.Element):  # type: ignore[misc]  # docutils is untyped
    """An exercise, or the test of one, that can be answered in the page.

    Its children are the cells, and what is shown below them.
    """


# A page may hold an exercise and its test: each is found by a name of its own.
NAMES = {"check": "data-exercise", "catch": "data-exercise-test"}


def visit(translator: HTML5Translator, node: AnswerHere) -> None:
    """Open the block; the stub stands in it as data."""
    attributes = {
        NAMES[node["kind"]]: node["slug"],
        "data-kind": node["kind"],
        "data-folder": node["folder"],
        "data-hints": str(node["hints"]),
        "data-stub": node["stub"].rstrip() + "\n",
    }
    written = " ".join(f'{name}="{escape(value)}"' for name, value in attributes.items())
    translator.body.append(f'<div class="answer-here" {written}>\n')


def depart(translator: HTML5Translator, node: AnswerHere) -> None:
    """Close the block."""
    translator.body.append("</div>\n")
