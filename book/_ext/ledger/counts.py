"""How many claims of a chapter hold, fail or are undecided: in a sentence, as bars, as numbers."""

from collections import Counter
from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from docutils import nodes
from sphinx import addnodes

from bottomup.experiments import Claim, Verdict
from bottomup.i18n import _

from .controls import chapters
from .table import raw, verdict_mark

CLAIMS = "claims"  # the anchor of the heading above the table of claims


def summary(claims: Sequence[Claim]) -> nodes.paragraph:
    """Return the counts over the book in one sentence."""
    count = Counter(each.verdict for each in claims)
    text = _("Of {all} findings, {holds} hold, {fails} fail and {undecided} are undecided.")
    numbers = {f"{verdict}": count[verdict] for verdict in Verdict}
    return nodes.paragraph("", text.format(all=len(claims), **numbers), classes=["ledger-summary"])


def counts_table(claims: Sequence[Claim], names: Mapping[str, nodes.Node]) -> nodes.table:
    """Return one row a chapter, with its name and a bar, and one for the book."""
    heads = head()
    longest = max(Counter(each.chapter for each in claims).values())
    rows = [count_row(names[each], claims, each, longest) for each in chapters(claims)]
    columns = [nodes.colspec(colwidth=1, stub=index == 0) for index in range(len(heads))]
    group = nodes.tgroup("", *columns, cols=len(columns))
    group += nodes.thead("", heads)
    group += nodes.tbody("", *rows, count_row(nodes.Text(_("All chapters")), claims))
    return nodes.table("", group, classes=["ledger-counts"])


def head() -> nodes.row:
    """Return the names of the columns: the bars, the verdicts, and all of them."""
    marks = [nodes.paragraph("", "", verdict_mark(verdict)) for verdict in Verdict]
    names = [nodes.paragraph("", name) for name in (_("Chapter"), _("Findings"))]
    cells = [*names, *marks, nodes.paragraph("", _("all"))]
    return nodes.row("", *(nodes.entry("", cell) for cell in cells))


def count_row(
    name: nodes.Node,
    claims: Sequence[Claim],
    chapter: str | None = None,
    longest: int | None = None,
) -> nodes.row:
    """Return the counts of a chapter, or of all of them.

    Where `longest`, the claims of the chapter that has most, is given, a bar shows them, too.
    """
    verdicts = [each.verdict for each in claims if chapter in (None, each.chapter)]
    count = Counter(verdicts)
    picture = [] if longest is None else [bar(count, longest)]
    cells = [
        nodes.paragraph("", "", name),
        nodes.paragraph("", "", *picture),
        *(count_cell(count[verdict], chapter, verdict) for verdict in Verdict),
        count_cell(len(verdicts), chapter),
    ]
    return nodes.row("", *(nodes.entry("", cell) for cell in cells))


def bar(count: Counter[Verdict], longest: int) -> nodes.raw:
    """Return a chapter's counts as parts of a bar; the numbers beside it say the same."""
    parts = "".join(
        f'<span class="ledger-part ledger-{verdict}" style="flex-grow: {count[verdict]}"></span>'
        for verdict in Verdict
        if count[verdict]
    )
    width = 100 * sum(count.values()) / longest
    return raw(
        f'<span class="ledger-bar" aria-hidden="true" style="width: {width:.1f}%">{parts}</span>'
    )


def count_cell(count: int, chapter: str | None, verdict: Verdict | None = None) -> nodes.paragraph:
    """Return a count; that of a part of the claims leads to them, as `ledger.js` reads it."""
    parts = {"chapter": chapter, "verdict": verdict}
    query = urlencode({key: value for key, value in parts.items() if value is not None})
    if count == 0 or not query:
        return nodes.paragraph("", f"{count}")
    link = nodes.reference("", f"{count}", refuri=f"?{query}#{CLAIMS}", internal=True)
    return nodes.paragraph("", "", link)


def chapter_name(here: str, chapter: str, page: str | None, title: str | None) -> nodes.inline:
    """Return a chapter's name as a link from the page `here`; without a page, its number.

    Without a `title`, which begins with the number, the name is that of the page.
    """
    if page is None:
        return nodes.inline("", chapter)
    link = addnodes.pending_xref(
        "",
        nodes.inline("", title or page),
        refdomain="std",
        reftype="doc",
        refdoc=here,
        reftarget=f"/{page}",
        refexplicit=title is not None,
        refwarn=True,
    )
    return nodes.inline("", "", *([] if title else [nodes.Text(f"{chapter} ")]), link)
