"""How many claims hold, fail or are undecided: in a sentence, as bars and numbers by kind."""

from collections import Counter
from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from docutils import nodes

from bottomup.experiments import Claim, Kind, Verdict
from bottomup.i18n import _

from .kinds import AFTER, kind_names, time_of, times
from .table import raw, verdict_mark

Query = Mapping[str, str]  # by what ledger.js chooses claims
Row = tuple[str, Query, Sequence[Claim]]
CLAIMS = "claims"  # the anchor of the heading above the table of claims


def summary(claims: Sequence[Claim]) -> nodes.paragraph:
    """Return the verdicts on statements of papers in a sentence; what cannot fail is not in it."""
    count = Counter(each.verdict for each in findings(claims))
    text = _(
        "Of {all} statements of papers, {holds} hold, {fails} fail and {undecided} are undecided."
    )
    said = text.format(all=count.total(), **{f"{verdict}": count[verdict] for verdict in Verdict})
    return nodes.paragraph("", said, classes=["ledger-summary"])


def findings(claims: Sequence[Claim]) -> list[Claim]:
    """Return the claims that are statements of papers, each once."""
    return [claim for claim in claims if claim.kind is Kind.PAPER]


def counts_table(claims: Sequence[Claim]) -> nodes.table:
    """Return one row a kind, with a bar."""
    of_kind = {kind: [each for each in claims if each.kind is kind] for kind in Kind}
    names = kind_names()
    return tally(_("Kind"), [(names[kind], {"kind": kind}, of_kind[kind]) for kind in Kind])


def papers_table(claims: Sequence[Claim]) -> nodes.table:
    """Return the same of statements of papers, by when their rules were set."""
    found = findings(claims)
    rows: list[Row] = [
        (name, {"kind": Kind.PAPER, "set": time}, [each for each in found if time_of(each) == time])
        for time, name in times().items()
    ]
    return tally(_("Rule set"), rows)


def tally(name: str, rows: Sequence[Row]) -> nodes.table:
    """Return a table of counts."""
    longest = max(len(found) for _name, _query, found in rows)
    body = [count_row(*row, longest) for row in rows]
    heads = head(name)
    columns = [nodes.colspec(colwidth=1, stub=index == 0) for index in range(len(heads))]
    group = nodes.tgroup("", *columns, cols=len(columns))
    group += [nodes.thead("", heads), nodes.tbody("", *body)]
    return nodes.table("", group, classes=["ledger-counts"])


def head(name: str) -> nodes.row:
    """Return the names of the columns: the first, the bars, the verdicts, and all of them."""
    marks = [nodes.paragraph("", "", verdict_mark(verdict)) for verdict in Verdict]
    names = [nodes.paragraph("", each) for each in (name, _("Claims"))]
    cells = [*names, *marks, nodes.paragraph("", _("all"))]
    return nodes.row("", *(nodes.entry("", cell) for cell in cells))


def count_row(name: str, query: Query, claims: Sequence[Claim], longest: int) -> nodes.row:
    """Return the counts of claims; `longest` is the number of claims of the row that has most."""
    count = Counter(each.verdict for each in claims)
    cells = [
        nodes.paragraph("", name),
        nodes.paragraph("", "", bar(count, longest)),
        *(count_cell(count[verdict], query, verdict) for verdict in Verdict),
        count_cell(len(claims), query),
    ]
    last = [f"{key}-{value}" for key, value in query.items()][-1:]
    return nodes.row("", *(nodes.entry("", cell) for cell in cells), classes=last)


def bar(count: Counter[Verdict], longest: int) -> nodes.raw:
    """Return counts as parts of a bar; the numbers beside it say the same."""
    parts = "".join(
        f'<span class="ledger-part ledger-{verdict}" style="flex-grow: {count[verdict]}"></span>'
        for verdict in Verdict
        if count[verdict]
    )
    width = 100 * sum(count.values()) / longest
    return raw(
        f'<span class="ledger-bar" aria-hidden="true" style="width: {width:.1f}%">{parts}</span>'
    )


def count_cell(count: int, query: Query, verdict: Verdict | None = None) -> nodes.paragraph:
    """Return a count; where `ledger.js` can choose its claims by an address, it leads to them."""
    if count == 0 or not query:
        return nodes.paragraph("", f"{count}")
    address = urlencode({**query, **({} if verdict is None else {"verdict": verdict})})
    link = nodes.reference("", f"{count}", refuri=f"?{address}#{CLAIMS}", internal=True)
    return nodes.paragraph("", "", link)


def remarks(claims: Sequence[Claim]) -> nodes.paragraph:
    """Return what the counts do not show: what was set with numbers in sight, and chance."""
    found = findings(claims)
    text = _(
        "† marks {late} of all {total} claims: numbers were in sight when their rule was set, or "
        "before this record began. If every statement's true value lay on its margin, chance alone "
        "would let {chance:.0f} of the {all} hold. That is no test of the others: margins and "
        "settings are our choice, and claims share networks. The statements of papers by when the "
        "rule was set:"
    )
    numbers = {
        "late": sum(time_of(claim) in AFTER for claim in claims),
        "total": len(claims),
        "chance": sum(claim.rule.chance(len(claim.values)) for claim in found),
        "all": len(found),
    }
    return nodes.paragraph("", text.format(**numbers))
