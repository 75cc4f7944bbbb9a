"""The ledger's table: one row a claim."""

from collections.abc import Sequence

from docutils import nodes
from sphinx.environment import BuildEnvironment

from bottomup.experiments import Claim, Verdict
from bottomup.i18n import _

WIDTHS = (34, 21, 28, 17)  # per cent

# What ledger.js sorts by where a reader presses the head of a column.
SORTED_BY = ("claim", "paper", None, "verdict")

# The class of the text in which ledger.js looks for a reader's words.
WORDS = "ledger-words"


def chapter_page(env: BuildEnvironment, chapter: str) -> str | None:
    """Return the name of a chapter's page; None where the book has none."""
    pages = sorted(name for name in env.found_docs if name.startswith(f"chapters/{chapter}_"))
    return pages[0] if pages else None


def section_address(env: BuildEnvironment, claim: Claim) -> str | None:
    """Return the address of the section that discusses the claim; None without such a chapter."""
    page = chapter_page(env, claim.chapter)
    if page is None:
        return None
    address = env.app.builder.get_relative_uri(env.docname, page)
    return f"{address}#{nodes.make_id(claim.section)}"


def claims_table(rows: Sequence[tuple[Claim, str | None]]) -> nodes.table:
    """Return the table; on a phone its style sheet turns each row into a block of its own."""
    group = nodes.tgroup("", *(nodes.colspec(colwidth=width) for width in WIDTHS), cols=len(WIDTHS))
    names = heads()
    head = nodes.row("", *map(column_head, names, SORTED_BY))
    body = nodes.tbody("", *(claim_row(claim, address, names) for claim, address in rows))
    group += [nodes.thead("", head), body]
    return nodes.table("", group, classes=["ledger", "colwidths-given"])


def heads() -> tuple[str, ...]:
    """Return the names of the columns."""
    return _("Claim"), _("In the paper"), _("Here"), _("Verdict")


def column_head(name: str, key: str | None) -> nodes.entry:
    """Return the head of a column, which says by what the column is sorted."""
    classes = [] if key is None else [f"ledger-by-{key}"]
    return nodes.entry("", nodes.paragraph("", name), classes=classes)


def claim_row(claim: Claim, address: str | None, names: Sequence[str]) -> nodes.row:
    """Return the row of one claim; ledger.js chooses rows by their classes."""
    cells = (
        statement(claim, address),
        [line(claim.paper_value), line(claim.source, "ledger-detail", "ledger-paper", WORDS)],
        ours(claim),
        [nodes.paragraph("", "", verdict_mark(claim.verdict))],
    )
    labels = [line(name, "ledger-label") for name in names]
    entries = [nodes.entry("", label, *cell) for label, cell in zip(labels, cells, strict=True)]
    row = nodes.row("", *entries)
    row["ids"] = [f"claim-{claim.id.replace('.', '-')}"]
    row["classes"] = [f"chapter-{claim.chapter}", f"verdict-{claim.verdict}"]
    return row


def statement(claim: Claim, address: str | None) -> list[nodes.Node]:
    """Return number and sentence of a claim, and the way to its section."""
    number = nodes.inline("", claim.id, classes=["ledger-number"])
    text = nodes.Text(f" {claim.sentence}")
    sentence = nodes.paragraph("", "", number, text, classes=[WORDS])
    if address is None:
        return [sentence]
    where = _("chapter {chapter}, {section}").format(chapter=claim.chapter, section=claim.section)
    link = nodes.reference("", where, refuri=address, internal=True)
    return [sentence, nodes.paragraph("", "", link, classes=["ledger-detail"])]


def ours(claim: Claim) -> list[nodes.Node]:
    """Return our value with its spread, what it is, and the rule it is judged by."""
    seeds = _("{value} over {count} seeds").format(value=claim.value, count=len(claim.values))
    return [
        line(seeds, "ledger-value"),
        line(claim.measured, "ledger-detail", WORDS),
        line(_("Holds if {rule}.").format(rule=claim.rule.text), "ledger-detail"),
        nodes.paragraph("", _("Record: "), record_link(claim.record), classes=["ledger-detail"]),
    ]


def record_anchor(name: str) -> str:
    """Return the anchor of a record in the list below the table."""
    return str(nodes.make_id(f"record-{name}"))


def record_link(name: str) -> nodes.reference:
    """Return a link to a record in the list below the table."""
    return nodes.reference("", name, refid=record_anchor(name), internal=True)


def verdict_words() -> dict[str, str]:
    """Return the verdicts in the reader's language."""
    return {
        Verdict.HOLDS: _("holds"),
        Verdict.FAILS: _("fails"),
        Verdict.UNDECIDED: _("undecided"),
    }


def verdict_mark(verdict: Verdict) -> nodes.inline:
    """Return a verdict's word, with a class that colours it."""
    classes = ["ledger-verdict", f"ledger-{verdict}"]
    return nodes.inline("", verdict_words()[verdict], classes=classes)


def line(text: str, *classes: str) -> nodes.paragraph:
    """Return a paragraph of plain text."""
    return nodes.paragraph("", text, classes=list(classes))
