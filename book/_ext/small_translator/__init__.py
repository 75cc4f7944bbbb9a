"""Sphinx extension for the small live translator, outside chapters.

    ```{small-translator}
    :link: ../chapters/05_encoder_decoder.html
    the cat ate two apples
    ```

shows `bottomup.explorables.translator_small` with these sentences as examples, translated when the
page is built. The link leads to the page that has all switches.
"""

from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from bottomup.explorables import translator_small
from bottomup.results.translator import translator


class SmallTranslator(SphinxDirective):
    """Show the small translator; each line of the content is an example."""

    has_content = True
    option_spec: ClassVar = {"link": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Return the figure as HTML."""
        recorded = [translator().translate(sentence) for sentence in self.content]
        made = translator_small(recorded, link=self.options["link"])
        return [nodes.raw("", made._repr_html_(), format="html")]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Add the directive."""
    app.add_directive("small-translator", SmallTranslator)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
