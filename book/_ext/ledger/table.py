"""The ledger's table: one row a claim."""

from collections import Counter
from collections.abc import Sequence

from docutils import nodes
from sphinx.environment import BuildEnvironment

from bottomup.experiments import Claim, Verdict
from bottomup.i18n import _

WIDTHS = (40, 22, 26, 12)


def summary(claims: Sequence[Claim]) -> str:
    """Count claims and verdicts in one sentence."""
    count = Counter(claim.verdict for claim in claims)
    text = _("Claims: {all}. Hold: {holds}, fail: {fails}, undecided: {undecided}.")
    return text.format(all=len(claims), **{str(verdict): count[verdict] for verdict in Verdict})


def section_address(env: BuildEnvironment, claim: Claim) -> str | None:
    """Return the address of the section that discusses the claim; None without such a chapter."""
    pages = sorted(name for name in env.found_docs if name.startswith(f"chapters/{claim.chapter}_"))
    if not pages:
        return None
    page = env.app.builder.get_relative_uri(env.docname, pages[0])
    return f"{page}#{nodes.make_id(claim.section)}"


def claims_table(rows: Sequence[tuple[Claim, str | None]]) -> nodes.table:
    """Return the table; on a phone its style sheet turns each row into a block of its own."""
    group = nodes.tgroup("", *(nodes.colspec(colwidth=width) for width in WIDTHS), cols=len(WIDTHS))
    names = heads()
    head = nodes.row("", *(nodes.entry("", nodes.paragraph("", name)) for name in names))
    body = nodes.tbody("", *(claim_row(claim, address, names) for claim, address in rows))
    group += [nodes.thead("", head), body]
    return nodes.table("", group, classes=["ledger"])


def heads() -> tuple[str, ...]:
    """Return the names of the columns."""
    return _("Claim"), _("In the paper"), _("Here"), _("Verdict")


def claim_row(claim: Claim, address: str | None, names: Sequence[str]) -> nodes.row:
    """Return the row of one claim."""
    cells = (
        statement(claim, address),
        [line(claim.paper_value), line(claim.source, "ledger-detail")],
        ours(claim),
        [nodes.paragraph("", "", verdict(claim))],
    )
    labels = [line(name, "ledger-label") for name in names]
    entries = [nodes.entry("", label, *cell) for label, cell in zip(labels, cells, strict=True)]
    row = nodes.row("", *entries)
    row["ids"] = [f"claim-{claim.id.replace('.', '-')}"]
    return row


def statement(claim: Claim, address: str | None) -> list[nodes.Node]:
    """Return number and sentence of a claim, and the way to its section."""
    number = nodes.inline("", claim.id, classes=["ledger-number"])
    sentence = nodes.paragraph("", "", number, nodes.Text(f" {claim.sentence}"))
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
        line(claim.measured, "ledger-detail"),
        line(_("Holds if {rule}.").format(rule=claim.rule.text), "ledger-detail"),
        nodes.paragraph("", _("Record: "), record_link(claim.record), classes=["ledger-detail"]),
    ]


def record_anchor(name: str) -> str:
    """Return the anchor of a record in the list below the table."""
    return nodes.make_id(f"record-{name}")


def record_link(name: str) -> nodes.reference:
    """Return a link to a record in the list below the table."""
    return nodes.reference("", name, refid=record_anchor(name), internal=True)


def verdict(claim: Claim) -> nodes.inline:
    """Return the verdict, with a class that colours it."""
    words = {
        Verdict.HOLDS: _("holds"),
        Verdict.FAILS: _("fails"),
        Verdict.UNDECIDED: _("undecided"),
    }
    classes = ["ledger-verdict", f"ledger-{claim.verdict}"]
    return nodes.inline("", words[claim.verdict], classes=classes)


def line(text: str, *classes: str) -> nodes.paragraph:
    """Return a paragraph of plain text."""
    return nodes.paragraph("", text, classes=list(classes))
