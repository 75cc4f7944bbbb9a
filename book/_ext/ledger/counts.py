"""How many statements of papers came out again: in a sentence, and as a bar."""

from collections import Counter
from collections.abc import Sequence

from docutils import nodes

from bottomup.experiments import Claim, Kind, Verdict
from bottomup.i18n import _
from bottomup.results.again import Standing

from .kinds import standing_of
from .table import raw


def counted(claims: Sequence[Claim]) -> Counter[str]:
    """Return how many statements of papers stand how."""
    return Counter(standing_of(claim) for claim in claims if claim.kind is Kind.PAPER)


def summary(claims: Sequence[Claim]) -> nodes.paragraph:
    """Return the headline: what came out again under rules that were fixed before."""
    count = counted(claims)
    said = _(
        "We ran {all} statements of papers again, under rules fixed before the reruns: "
        "{confirmed} held in both, {not_confirmed} failed in at least one, {undecided} came out "
        "undecided."
    )
    if count[Standing.OPEN]:
        said = _(
            "We are running {all} statements of papers again, under rules fixed before the reruns. "
            "In the order of the chapters, {done} are done: {confirmed} held in both reruns, "
            "{not_confirmed} failed in at least one, {undecided} came out undecided."
        )
    numbers = {each.name.lower(): count[each] for each in Standing}
    done = count.total() - count[Standing.OPEN]
    return nodes.paragraph(
        "", said.format(all=count.total(), done=done, **numbers), classes=["ledger-summary"]
    )


def before(claims: Sequence[Claim]) -> nodes.paragraph:
    """Return what the first records said of the same statements."""
    count = Counter(claim.verdict for claim in claims if claim.kind is Kind.PAPER)
    text = _(
        "In the first records, {holds} of them had held, {fails} had failed and {undecided} were "
        "undecided."
    )
    return nodes.paragraph("", text.format(**{f"{each}": count[each] for each in Verdict}))


def bar(count: Counter[str]) -> nodes.raw:
    """Return counts as parts of a bar; the sentence above it says the same."""
    parts = "".join(
        f'<span class="ledger-part ledger-{each}" style="flex-grow: {count[each]}"></span>'
        for each in Standing
        if count[each]
    )
    return raw(f'<span class="ledger-bar" aria-hidden="true">{parts}</span>')


def identities(claims: Sequence[Claim]) -> nodes.paragraph:
    """Return a line about what cannot fail, to which the numbers of these claims lead."""
    count = sum(claim.kind is Kind.IDENTITY for claim in claims)
    text = _(
        "{count} more claims follow from a definition or only count something. Tests check them; "
        "they are not in the table."
    )
    return nodes.paragraph("", text.format(count=count), ids=["identities"])
