"""Sphinx extension that writes the reproduction ledger from the committed records.

- ``{ledger}``: one row a claim, with the paper's value, ours, and the verdict of the claim's rule;
- ``{ledger-records}``: how each record was made, with its file.

Nothing on the page is written by hand: the directives ask `bottomup.results` at each build.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from bottomup import results

from . import records, table

STYLE = "ledger.css"


class Ledger(SphinxDirective):
    """Every claim of every committed record."""

    def run(self) -> list[nodes.Node]:
        """Return a sentence that counts the verdicts, and the table."""
        read_again(self)
        claims = results.ledger()
        links = [table.section_address(self.env, claim) for claim in claims]
        return [
            nodes.paragraph("", table.summary(claims)),
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


def setup(app: Sphinx) -> ExtensionMetadata:
    """Offer the directives and their style sheet."""
    app.add_directive("ledger", Ledger)
    app.add_directive("ledger-records", LedgerRecords)
    app.add_css_file(STYLE)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
