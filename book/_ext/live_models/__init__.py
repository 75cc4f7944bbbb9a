"""Sphinx extension that puts what figures compute with where a page can load it.

A figure with ``data-live="translator"`` computes in the page with a trained translator, and one
with ``data-live="dictionary"`` with the words of a head of chapter 12's model. Each model, with all
that computes, is a script among the site's static files, with a name that changes with its content:
``_static/models/encoder_decoder-1a2b3c4d.js``. A page with such a figure says in its head where the
script is; ``bottomup/explorables/engine/load.js`` loads it when a reader comes near. Where the
model of chapter 12 is not installed, the site has no script of it, and its figure shows what was
recorded. Its licence lies beside the script.
"""

import re
from collections.abc import Collection
from hashlib import sha256
from importlib.metadata import files
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from bottomup.explorables.engine import MODELS
from bottomup.explorables.head_dictionary import NAME as DICTIONARY
from bottomup.explorables.head_dictionary.script import words_script
from bottomup.explorables.translator_live.script import live_script

FOLDER = "models"  # in the site's static files
FIGURE = re.compile('data-live="([a-z]+)"')
FIGURES = ("translator", "dictionary")
LICENCE = "apache-2.0.txt"  # of chapter 12's model, and of a package that is installed with us
META = '<meta name="bottomup-model-{name}" content="{address}" />\n'


def scripts(figures: Collection[str]) -> dict[str, str]:
    """Return the scripts that kinds of figures need, by name."""
    found = {name: live_script(name) for name in MODELS} if "translator" in figures else {}
    if "dictionary" in figures and (words := words_script()):
        found[DICTIONARY] = words
    return found


def file_name(name: str, script: str) -> str:
    """Return a script's file with eight hexadecimal digits of its SHA-256."""
    return f"{name}-{sha256(script.encode()).hexdigest()[:8]}.js"


def say_where(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:  # fmt: skip
    """Name the scripts' files in the head of a page that needs them (``html-page-context``)."""
    if doctree is None:
        return
    for name, script in scripts(computed(doctree)).items():
        address = context["pathto"](f"_static/{FOLDER}/{file_name(name, script)}", resource=True)
        context["metatags"] += META.format(name=name, address=address)


def computed(doctree: nodes.document) -> set[str]:
    """Return the kinds of figures of a page that compute with a model."""
    return {kind for node in doctree.findall(nodes.raw) for kind in FIGURE.findall(node.astext())}


def write_models(app: Sphinx, error: Exception | None) -> None:
    """Write the scripts (handler of ``build-finished``)."""
    if error is None and app.builder.format == "html":
        folder = Path(app.outdir, "_static", FOLDER)
        folder.mkdir(parents=True, exist_ok=True)
        for name, script in scripts(FIGURES).items():
            folder.joinpath(file_name(name, script)).write_text(script, encoding="utf-8")
            if name == DICTIONARY:
                folder.joinpath(LICENCE).write_text(licence(), encoding="utf-8")


def licence() -> str:
    """Return the text of the Apache License 2.0, which the package `requests` has, too."""
    (path,) = (each for each in files("requests") or () if each.name == "LICENSE")
    return path.read_text(encoding="utf-8")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the steps to Sphinx's events."""
    app.connect("html-page-context", say_where)
    # Before the site is packed (500).
    app.connect("build-finished", write_models, priority=400)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
