"""Sphinx extension that puts the trained translators where a page can load them.

A figure with ``data-live="translator"`` computes in the page. Its model, with all that computes, is
a script among the site's static files, with a name that changes with its content:
``_static/models/encoder_decoder-1a2b3c4d.js``. A page with such a figure says in its head where the
script is; ``bottomup/explorables/engine/load.js`` loads it when a reader comes near.
"""

from hashlib import sha256
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from bottomup.explorables.engine import MODELS
from bottomup.explorables.translator_live.script import live_script

FOLDER = "models"  # in the site's static files
FIGURE = 'data-live="'
META = '<meta name="bottomup-model-{name}" content="{address}" />\n'


def file_name(name: str) -> str:
    """Return a model's file with eight hexadecimal digits of the SHA-256 of its script."""
    return f"{name}-{sha256(live_script(name).encode()).hexdigest()[:8]}.js"


def say_where(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:  # fmt: skip
    """Name the models' files in the head of a page that needs them (``html-page-context``)."""
    if doctree is None or not computes(doctree):
        return
    for name in MODELS:
        address = context["pathto"](f"_static/{FOLDER}/{file_name(name)}", resource=True)
        context["metatags"] += META.format(name=name, address=address)


def computes(doctree: nodes.document) -> bool:
    """Say whether a page holds a figure that computes with a model."""
    return any(FIGURE in node.astext() for node in doctree.findall(nodes.raw))


def write_models(app: Sphinx, error: Exception | None) -> None:
    """Write the scripts (handler of ``build-finished``)."""
    if error is None and app.builder.format == "html":
        folder = Path(app.outdir, "_static", FOLDER)
        folder.mkdir(parents=True, exist_ok=True)
        for name in MODELS:
            folder.joinpath(file_name(name)).write_text(live_script(name), encoding="utf-8")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the steps to Sphinx's events."""
    app.connect("html-page-context", say_where)
    # Before the site is packed (500).
    app.connect("build-finished", write_models, priority=400)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
