"""How many claims hold, fail or are undecided: in a sentence, as bars and numbers by kind."""

from collections import Counter
from collections.abc import Sequence
from urllib.parse import urlencode

from docutils import nodes

from bottomup.experiments import Claim, Kind, Verdict
from bottomup.i18n import _

from .kinds import AFTER, Time, kind_names, time_of
from .table import raw, verdict_mark

CLAIMS = "claims"  # the anchor of the heading above the table of claims


def summary(claims: Sequence[Claim]) -> nodes.paragraph:
    """Return the verdicts on findings of papers in a sentence; what cannot fail is not in it.

    A second one says of how many that hold the rule was not set, or not surely, before all numbers.
    """
    found = findings(claims)
    count = Counter(each.verdict for each in found)
    text = _(
        "Of {all} findings of papers, {holds} hold, {fails} fail and {undecided} are undecided. "
        "The rule of those that hold was set before any number was seen in {before} cases, after "
        "trials in {trials} and after a record in {after} (†); for {unknown} nothing shows which "
        "came first."
    )
    numbers = {f"{verdict}": count[verdict] for verdict in Verdict}
    numbers |= late_counts([each for each in found if each.verdict is Verdict.HOLDS])
    numbers["after"] = numbers["asked"] + numbers["changed"]
    return nodes.paragraph("", text.format(all=len(found), **numbers), classes=["ledger-summary"])


def late_counts(claims: Sequence[Claim]) -> dict[str, int]:
    """Return how many claims were set when, and how many of them with numbers in sight."""
    times = Counter(time_of(claim) for claim in claims)
    return {**{f"{time}": times[time] for time in Time}, "late": sum(times[at] for at in AFTER)}


def findings(claims: Sequence[Claim]) -> list[Claim]:
    """Return the claims that are findings of papers, each once."""
    return [claim for claim in claims if claim.kind is Kind.PAPER]


def counts_table(claims: Sequence[Claim]) -> nodes.table:
    """Return one row a kind, with a bar."""
    longest = max(Counter(each.kind for each in claims).values())
    rows = [count_row(claims, kind, longest) for kind in Kind]
    heads = head()
    columns = [nodes.colspec(colwidth=1, stub=index == 0) for index in range(len(heads))]
    group = nodes.tgroup("", *columns, cols=len(columns))
    group += [nodes.thead("", heads), nodes.tbody("", *rows)]
    return nodes.table("", group, classes=["ledger-counts"])


def head() -> nodes.row:
    """Return the names of the columns: the bars, the verdicts, and all of them."""
    marks = [nodes.paragraph("", "", verdict_mark(verdict)) for verdict in Verdict]
    names = [nodes.paragraph("", name) for name in (_("Kind"), _("Claims"))]
    cells = [*names, *marks, nodes.paragraph("", _("all"))]
    return nodes.row("", *(nodes.entry("", cell) for cell in cells))


def count_row(claims: Sequence[Claim], kind: Kind, longest: int) -> nodes.row:
    """Return the counts of a kind; `longest` is the number of claims of the kind that has most."""
    verdicts = [each.verdict for each in claims if each.kind is kind]
    count = Counter(verdicts)
    cells = [
        nodes.paragraph("", kind_names()[kind]),
        nodes.paragraph("", "", bar(count, longest)),
        *(count_cell(count[verdict], kind, verdict) for verdict in Verdict),
        count_cell(len(verdicts), kind),
    ]
    return nodes.row("", *(nodes.entry("", cell) for cell in cells), classes=[f"kind-{kind}"])


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


def count_cell(count: int, kind: Kind, verdict: Verdict | None = None) -> nodes.paragraph:
    """Return a count, which leads to its claims, as `ledger.js` reads the address."""
    parts = {"kind": kind, "verdict": verdict}
    query = urlencode({key: value for key, value in parts.items() if value is not None})
    if count == 0:
        return nodes.paragraph("", f"{count}")
    link = nodes.reference("", f"{count}", refuri=f"?{query}#{CLAIMS}", internal=True)
    return nodes.paragraph("", "", link)


def remarks(claims: Sequence[Claim]) -> nodes.paragraph:
    """Return what the counts do not show: what was set with numbers in sight, and chance."""
    found = findings(claims)
    text = _(
        "In all, {late} claims bear †, since numbers were in sight when their rule was set: "
        "{asked} were asked after a record, {changed} changed after one, {trials} set after "
        "trials. Of {unknown} others nothing shows what came first. If every finding's true value "
        "lay on its margin, chance alone would let {chance:.0f} of the {all} hold; beside each "
        "rule stands its rate."
    )
    numbers = {
        **late_counts(claims),
        "chance": sum(claim.rule.chance(len(claim.values)) for claim in found),
        "all": len(found),
    }
    return nodes.paragraph("", text.format(**numbers))
