"""What kind of fold each is on a chapter's page, told by where it stands, in every language.

- What is folded between the heading of an exercise and its check gives something away: `HINT`.
- The folds of a question of the quiz stand in a row; those beside the right one, which the chapter
  marks with `RIGHT`, are `WRONG`.

Any other fold is a side remark, which is printed, unless the chapter gives it a class.
"""

import re

from docutils import nodes

HINT, RIGHT, WRONG = "hint", "quiz-right", "quiz-wrong"
PLAIN = re.compile(r"<details(?=>)")
APART, TEXT = "\0", "\1"  # between two nodes; what is no HTML
ROW = re.compile(rf"(?:<details.*?</details>[\s{APART}]*)+", re.DOTALL)


def mark_hints(check: nodes.Element) -> None:
    """Mark what is folded in an exercise, above the cell of its check."""
    section = check.parent
    for node in section.children[: section.index(check)]:
        if isinstance(node, nodes.raw):
            node[:] = [nodes.Text(_marked(node.astext(), HINT))]


def mark_options(doctree: nodes.document) -> None:
    """Mark the wrong options of every question."""
    for right in [node for node in doctree.findall(nodes.raw) if RIGHT in node.astext()]:
        beside = right.parent.children
        html = [node.astext() if isinstance(node, nodes.raw) else TEXT for node in beside]
        marked = ROW.sub(_with_options, APART.join(html)).split(APART)
        for node, text in zip(beside, marked, strict=True):
            if isinstance(node, nodes.raw):
                node[:] = [nodes.Text(text)]


def _with_options(row: re.Match[str]) -> str:
    return _marked(row[0], WRONG) if RIGHT in row[0] else row[0]


def _marked(html: str, kind: str) -> str:
    return PLAIN.sub(f'<details class="{kind}"', html)
