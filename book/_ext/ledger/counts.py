"""The table of counts: how many claims of a chapter hold, fail or are undecided."""

from collections import Counter
from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from docutils import nodes
from sphinx import addnodes

from bottomup.experiments import Claim, Verdict
from bottomup.i18n import _

from .controls import chapters
from .table import verdict_mark

CLAIMS = "claims"  # the anchor of the heading above the table of claims


def counts_table(claims: Sequence[Claim], names: Mapping[str, nodes.Node]) -> nodes.table:
    """Return one row a chapter, with its name, and one for the book."""
    heads = head()
    rows = [count_row(names[each], claims, each) for each in chapters(claims)]
    columns = [nodes.colspec(colwidth=1, stub=index == 0) for index in range(len(heads))]
    group = nodes.tgroup("", *columns, cols=len(columns))
    group += nodes.thead("", heads)
    group += nodes.tbody("", *rows, count_row(nodes.Text(_("All chapters")), claims))
    return nodes.table("", group, classes=["ledger-counts"])


def head() -> nodes.row:
    """Return the names of the columns: the verdicts, and all of them."""
    marks = [nodes.paragraph("", "", verdict_mark(verdict)) for verdict in Verdict]
    cells = [nodes.paragraph("", _("Chapter")), *marks, nodes.paragraph("", _("all"))]
    return nodes.row("", *(nodes.entry("", cell) for cell in cells))


def count_row(name: nodes.Node, claims: Sequence[Claim], chapter: str | None = None) -> nodes.row:
    """Return the counts of a chapter, or of all of them."""
    verdicts = [each.verdict for each in claims if chapter in (None, each.chapter)]
    count = Counter(verdicts)
    cells = [
        nodes.paragraph("", "", name),
        *(count_cell(count[verdict], chapter, verdict) for verdict in Verdict),
        count_cell(len(verdicts), chapter),
    ]
    return nodes.row("", *(nodes.entry("", cell) for cell in cells))


def count_cell(count: int, chapter: str | None, verdict: Verdict | None = None) -> nodes.paragraph:
    """Return a count; that of a part of the claims leads to them, as `ledger.js` reads it."""
    parts = {"chapter": chapter, "verdict": verdict}
    query = urlencode({key: value for key, value in parts.items() if value is not None})
    if count == 0 or not query:
        return nodes.paragraph("", f"{count}")
    link = nodes.reference("", f"{count}", refuri=f"?{query}#{CLAIMS}", internal=True)
    return nodes.paragraph("", "", link)


def chapter_name(here: str, chapter: str, page: str | None) -> nodes.inline:
    """Return a chapter's number, with its title as a link from the page `here`."""
    if page is None:
        return nodes.inline("", chapter)
    link = addnodes.pending_xref(
        "",
        nodes.inline("", page),
        refdomain="std",
        reftype="doc",
        refdoc=here,
        reftarget=f"/{page}",
        refexplicit=False,
        refwarn=True,
    )
    return nodes.inline("", f"{chapter} ", link)
