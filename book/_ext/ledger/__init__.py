"""Sphinx extension that writes the reproduction ledger from the committed records.

- ``{ledger-summary}``: how many statements of papers came out again;
- ``{ledger}``: one row a claim that can fail, with how it stands, which opens to the paper's value
  and ours, and fields to choose rows by, for readers whose browser runs ``ledger.js``;
- ``{ledger-turned}``: how statements stand, by the verdict of their first record;
- ``{ledger-again}``: what is run again of each record, and how far that is;
- ``{ledger-cheapest}``: the records that take least to confirm;
- ``{ledger-records}``: how each record was made, with its file.

A claim's number in the prose of any other page leads to its row.

Nothing on the page is written by hand: the directives ask `bottomup.results`.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode
from sphinx.util.typing import ExtensionMetadata

from bottomup import results
from bottomup.experiments import Kind

from . import controls, counts, links, records, table

STYLE = "ledger.css"
SCRIPT = "ledger.js"
LINK = "claim-link"
IDENTITIES = "identities"  # the anchor of the line about them, and where their numbers are kept
logger = logging.getLogger(__name__)


class LedgerSummary(SphinxDirective):
    """How many statements of papers came out again, in a sentence and as a bar."""

    def run(self) -> list[nodes.Node]:
        """Return the sentence and the bar."""
        claims = results.ledger()
        parts = [counts.summary(claims), counts.bar(counts.counted(claims))]
        return [*parts, counts.before(claims)]


class Ledger(SphinxDirective):
    """Every claim of every committed record that can fail."""

    def run(self) -> list[nodes.Node]:
        """Return the fields to choose claims by, and the table."""
        every = results.ledger()
        self.env.metadata[self.env.docname][links.KEPT_AS] = links.tooltips(every)
        self.env.metadata[self.env.docname][IDENTITIES] = [
            claim.id for claim in every if claim.kind is Kind.IDENTITY
        ]
        claims = [claim for claim in every if claim.kind is not Kind.IDENTITY]
        shown = [table.with_own_section(self.env, claim) for claim in claims]
        addresses = [table.section_address(self.env, claim) for claim in claims]
        rows = list(zip(shown, addresses, strict=True))
        listed = table.claims_table(rows, table.code(self.config))
        return [controls.controls(claims), listed, counts.identities(every)]


class LedgerTurned(SphinxDirective):
    """How the verdicts of first records came out again."""

    def run(self) -> list[nodes.Node]:
        """Return a table: a row for each verdict of first records."""
        return [records.turned_table()]


class LedgerAgain(SphinxDirective):
    """What the locked run asks again."""

    def run(self) -> list[nodes.Node]:
        """Return a table: a row a record, with its seeds, what is varied, and what came out."""
        return [records.again_table()]


class LedgerCheapest(SphinxDirective):
    """The records that take least to confirm."""

    def run(self) -> list[nodes.Node]:
        """Return a table: the name, the minutes of three seeds, what is asked."""
        return [records.cheapest_table()]


class LedgerRecords(SphinxDirective):
    """Every committed record."""

    def run(self) -> list[nodes.Node]:
        """Return a list: the record's name, how it was made, its file."""
        return [records.records_list(self.env.docname, results.available())]


def link_claims(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Link the numbers of claims in a page's prose (handler of ``doctree-resolved``)."""
    ledger = links.table_page(app.env)
    if ledger is None or docname == ledger:
        return
    claims = app.env.metadata[ledger][links.KEPT_AS]
    identities = app.env.metadata[ledger][IDENTITIES]
    for text in links.prose(doctree):
        parts: list[nodes.Node] = []
        for part, number in links.pieces(text, claims):
            if number is None:
                parts += [nodes.Text(part)] if part else []
            elif number in claims:
                anchor = IDENTITIES if number in identities else table.claim_anchor(number)
                link = make_refnode(
                    app.builder, docname, ledger, anchor, nodes.Text(part), claims[number]
                )
                link["classes"].append(LINK)
                parts.append(link)
            else:
                logger.warning("%s is the number of no claim", number, location=text.parent)
                parts.append(nodes.Text(part))
        if any(isinstance(part, nodes.reference) for part in parts):
            text.parent.replace(text, parts)


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
    app.add_directive("ledger-summary", LedgerSummary)
    app.add_directive("ledger", Ledger)
    app.add_directive("ledger-turned", LedgerTurned)
    app.add_directive("ledger-again", LedgerAgain)
    app.add_directive("ledger-cheapest", LedgerCheapest)
    app.add_directive("ledger-records", LedgerRecords)
    app.add_css_file(STYLE)
    app.connect("doctree-resolved", link_claims)
    app.connect("html-page-context", add_script)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
