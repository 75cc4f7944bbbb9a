"""Sphinx extension that writes the reproduction ledger from the committed records.

- ``{ledger-counts}``: how many claims of each chapter hold, fail or are undecided;
- ``{ledger}``: one row a claim, with the paper's value, ours, and the verdict of the claim's rule,
  and fields to choose rows by, for readers whose browser runs ``ledger.js``;
- ``{ledger-records}``: how each record was made, with its file.

Nothing on the page is written by hand: the directives ask `bottomup.results`, again whenever code
or records have changed.
"""

from typing import Any

from docutils import nodes
from second_build.inputs import depend_on
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
        depend_on(self.env, "code", "records")
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
        depend_on(self.env, "code", "records")
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
        depend_on(self.env, "code", "records")
        return [records.records_list(self.env.docname, results.available())]


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
