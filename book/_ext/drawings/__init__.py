"""Sphinx extension for the drawings of the package, on pages and in the outputs of chapters.

    ```{drawing} machine.machine
    :folder: ../chapters/
    ```

shows what the function of `bottomup.drawings` returns; the option is passed on. A drawing's links
lead to notebooks, on the site to their pages. A page holds the style of its drawings once.
"""

import re
from importlib import import_module
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

FIGURE = '<figure class="bottomup-drawing">'
STYLE = re.compile(r"<style>.*?</style>\n", re.DOTALL)
NOTEBOOK = re.compile(r'(<a href="[^"#:]*)\.ipynb')


class Draw(SphinxDirective):
    """Show a drawing that a function of the package returns."""

    required_arguments = 1
    option_spec: ClassVar = {"folder": directives.unchanged, "chapter": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """Return the drawing as HTML."""
        module, name = self.arguments[0].split(".")
        drawn = import_module(f"bottomup.drawings.{module}")
        return [nodes.raw("", getattr(drawn, name)(**self.options)._repr_html_(), format="html")]


def adjust(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Let links lead to pages, and keep one style (handler of ``doctree-resolved``)."""
    drawn = [
        node for node in doctree.findall(nodes.raw) if FIGURE in node.rawsource + node.astext()
    ]
    for number, node in enumerate(drawn):
        html = NOTEBOOK.sub(r"\1.html", node.astext())
        if number:
            html = STYLE.sub("", html, count=1)
        node.replace_self(nodes.raw("", html, format="html"))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Add the directive and the handler."""
    app.add_directive("drawing", Draw)
    app.connect("doctree-resolved", adjust)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
