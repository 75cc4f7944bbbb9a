"""Interactive figures in stored outputs: what they draw stays, script and style are the package's.

An output holds the whole figure. Its data were worked out when the chapter ran; script and style
are known without running it.
"""

import json
import re
from collections.abc import Iterator

from nbformat import NotebookNode

from bottomup.explorables import Explorable

TAG = "explorable"
FIGURE = re.compile(
    r'<div class="bottomup-explorable" data-explorable="(?P<id>[\w-]+)".*?>\n'
    r"(?P<fallback>.*?)\n</div>\n<script .*?\nconst payload = (?P<payload>.*?);\n",
    re.DOTALL,
)


def renew(notebook: NotebookNode) -> None:
    """Let every stored figure have the script and the style of the package, in place."""
    for data in _stored(notebook):
        data["text/html"] = figure(data["text/html"])._repr_html_()


def outdated(notebook: NotebookNode) -> list[str]:
    """Return the ids of the figures whose script or style is not the package's."""
    figures = [(data["text/html"], figure(data["text/html"])) for data in _stored(notebook)]
    return [made.id for html, made in figures if made._repr_html_() != html]


def figure(html: str) -> Explorable:
    """Return the figure that a stored output shows.

    Raises:
        ValueError: what is stored is no figure.
    """
    found = FIGURE.search(html)
    if found is None:
        raise ValueError(f"expected an interactive figure, got {html[:200]!r}")
    name = found["id"].rpartition("-")[0].replace("-", "_")
    return Explorable(json.loads(found["payload"]), fallback=found["fallback"], name=name)


def _stored(notebook: NotebookNode) -> Iterator[NotebookNode]:
    """Yield the data of every output that holds a figure."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if 'class="bottomup-explorable"' in output.get("data", {}).get("text/html", ""):
                yield output.data
