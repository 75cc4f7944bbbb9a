"""Sphinx extension that writes the reproduction ledger from the committed records.

- ``{ledger-counts}``: how many claims of each chapter hold, fail or are undecided;
- ``{ledger}``: one row a claim, with the paper's value, ours, and the verdict of the claim's rule,
  and fields to choose rows by, for readers whose browser runs ``ledger.js``;
- ``{ledger-records}``: how each record was made, with its file.

Nothing on the page is written by hand: the directives ask `bottomup.results` at each build.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from bottomup import results

from . import controls, counts, records, table

STYLE = "ledger.css"
SCRIPT = "ledger.js"


class LedgerCounts(SphinxDirective):
    """How many claims hold, by chapter."""

    def run(self) -> list[nodes.Node]:
        """Return the table of counts."""
        read_again(self)
        claims = results.ledger()
        names = {
            chapter: counts.chapter_name(
                self.env.docname, chapter, table.chapter_page(self.env, chapter)
            )
            for chapter in controls.chapters(claims)
        }
        return [counts.counts_table(claims, names)]


class Ledger(SphinxDirective):
    """Every claim of every committed record."""

    def run(self) -> list[nodes.Node]:
        """Return the fields to choose claims by, and the table."""
        read_again(self)
        claims = results.ledger()
        links = [table.section_address(self.env, claim) for claim in claims]
        return [
            controls.controls(claims),
            table.claims_table(list(zip(claims, links, strict=True))),
        ]


class LedgerRecords(SphinxDirective):
    """Every committed record."""

    def run(self) -> list[nodes.Node]:
        """Return a list: the record's name, how it was made, its file."""
        read_again(self)
        return [records.records_list(self.env.docname, results.available())]


def read_again(directive: SphinxDirective) -> None:
    """Have the page made anew at every build: a record may have changed, or a new one come."""
    results.load.cache_clear()
    directive.env.note_reread()


def add_script(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:  # fmt: skip
    """Load the script on the page that holds the table (handler of ``html-page-context``)."""
    tables = [] if doctree is None else doctree.findall(nodes.table)
    if any("ledger" in each["classes"] for each in tables):
        app.add_js_file(SCRIPT, loading_method="defer")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Offer the directives, their style sheet and their script."""
    app.add_directive("ledger-counts", LedgerCounts)
    app.add_directive("ledger", Ledger)
    app.add_directive("ledger-records", LedgerRecords)
    app.add_css_file(STYLE)
    app.connect("html-page-context", add_script)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
