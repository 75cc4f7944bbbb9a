"""Messages of a translated page that are still English: marked, and said to be English.

The translation of a message ends with its English, which may be rewritten at any time; until
somebody has translated it anew the page shows what is true. ``tools/translate`` names these
messages. On the page each is of the class `CLASS`, before which the style sheet sets a sign, and
has ``lang="en"``, so that a screen reader speaks it as English.
"""

import json
import re
from functools import cache
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from sphinx.transforms import SphinxTransform

NAMES = "untranslated.json"  # in the source's folder: page -> messages
CLASS = "in-english"
LANGUAGE = "language-en"  # which docutils writes as ``lang="en"``
SUMMARY = re.compile(r"<summary>(.*?)</summary>", re.DOTALL)


class MarkUntranslated(SphinxTransform):
    """Mark paragraphs, headings, cells and folds' titles whose Markdown is such a message."""

    default_priority: ClassVar[int] = 100

    def apply(self, **_options: object) -> None:
        """Set class and language."""
        if not self.config.translated_from:
            return
        english = messages(Path(self.env.srcdir, NAMES)).get(self.env.docname, frozenset())
        if not english:
            return
        for node in self.document.findall(nodes.TextElement):
            if isinstance(node, nodes.raw):
                mark_summaries(node, english)
            elif plain(node.rawsource) in english:
                node["classes"] += [CLASS, LANGUAGE]


def mark_summaries(node: nodes.raw, english: frozenset[str]) -> None:
    """Mark in a piece of HTML the titles of folds."""

    def marked(found: re.Match[str]) -> str:
        is_english = plain(found[1]) in english
        opened = f'<summary class="{CLASS}" lang="en">' if is_english else "<summary>"
        return f"{opened}{found[1]}</summary>"

    node[:] = [nodes.Text(SUMMARY.sub(marked, node.astext()))]


def plain(message: str) -> str:
    """Return a message as a page's parser leaves it: a cell's stroke without its backslash."""
    return " ".join(message.replace("\\|", "|").split())


@cache
def messages(file: Path) -> dict[str, frozenset[str]]:
    """Return the messages of each page that are still English; none where no file says so."""
    found = json.loads(file.read_text("utf-8")) if file.exists() else {}
    return {page: frozenset(map(plain, each)) for page, each in found.items()}
