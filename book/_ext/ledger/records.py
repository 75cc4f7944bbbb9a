"""The committed records: how each was made, its file, and what is run again of it."""

from collections import Counter
from collections.abc import Sequence

from docutils import nodes
from sphinx import addnodes

from bottomup import results
from bottomup.experiments import Kind, Record, Verdict
from bottomup.experiments.engine import locked
from bottomup.experiments.engine.locked import Locked
from bottomup.i18n import _
from bottomup.results.again import OF_STATEMENT, Standing, run_again, seconds_of_seed

from .kinds import standing_of, standing_words, verdict_words
from .table import record_anchor

CHEAPEST = 10
SEEDS = 3  # as many as a rule needs to decide
FOLDER = "/src/bottomup/results"  # from the folder of _config.yml


def records_list(page: str, names: Sequence[str]) -> nodes.definition_list:
    """Return one entry a record file."""
    return nodes.definition_list("", *(entry(page, name, results.load(name)) for name in names))


def entry(page: str, name: str, record: Record) -> nodes.definition_list_item:
    """Return name, origin, command and file of one record."""
    term = nodes.term("", "", nodes.literal("", record.name), ids=[record_anchor(record.name)])
    command = nodes.paragraph("", "", nodes.literal("", record.command))
    files = nodes.paragraph("", _("Files: "), download(page, name))
    if record.arrays:
        files += [nodes.Text(", "), download(page, name.replace(".json", ".npz"))]
    return nodes.definition_list_item(
        "", term, nodes.definition("", nodes.paragraph("", origin(record)), command, files)
    )


def origin(record: Record) -> str:
    """Say in words where a record comes from."""
    text = _(
        "{seeds} seeds, {seconds:,.0f} processor seconds on {device}, one thread, torch {torch}. "
        "{code}"
    )
    changed = _("Made from code that was not committed yet, on top of commit {commit}.")
    same = _("Made from commit {commit}.")
    return text.format(
        seeds=len(record.seeds),
        seconds=record.seconds,
        device=record.device,
        torch=record.versions["torch"],
        code=(changed if record.dirty else same).format(commit=record.base_commit[:10]),
    )


def download(page: str, name: str) -> addnodes.download_reference:
    """Return a link to a file of `bottomup.results`, which the build copies."""
    return addnodes.download_reference(
        "", "", nodes.literal("", name), refdoc=page, reftarget=f"{FOLDER}/{name}"
    )


def again_table() -> nodes.table:
    """Return a row for each record that is run again."""
    heads = (_("Record"), _("Seeds in"), _("Varied setting"), _("Statements of papers"))
    return plain_table(heads, [again_row(record) for record in locked.frozen().values()])


def again_row(record: Locked) -> list[nodes.Node]:
    """Return name, seeds, changes and what came out of one record."""
    first = results.load(f"{record.name}.json")
    words = standing_words()
    found = Counter(
        standing_of(claim) for claim in results.claims(first) if claim.kind is Kind.PAPER
    )
    said = ", ".join(f"{found[each]} {words[each]}" for each in words if found[each])
    there = [run_again(record.name, column) for column in record.columns]
    done = sum(len(each.seeds) for each in there if each is not None)
    seeds = _("{done} of {all}").format(done=done, all=len(record.seeds) * len(there))
    varied = {"width": _("width × 1.5"), "rate": _("learning rate × 0.5")}.get(record.kind, "")
    return [nodes.literal("", record.name), *map(nodes.Text, (seeds, varied, said))]


def turned_table() -> nodes.table:
    """Return how statements of papers stand now, by the verdict of the first record."""
    words, standings = verdict_words(), [*OF_STATEMENT.values(), Standing.OPEN]
    papers = [claim for claim in results.ledger() if claim.kind is Kind.PAPER]
    counts = Counter((claim.verdict, standing_of(claim)) for claim in papers)
    heads = (_("In the first record"), *(standing_words()[each] for each in standings))
    return plain_table(
        heads,
        [
            [nodes.Text(words[first]), *(nodes.Text(f"{counts[first, now]}") for now in standings)]
            for first in Verdict
        ],
    )


def cheapest_table() -> nodes.table:
    """Return a row for each of the records that are the quickest to confirm."""
    heads = (_("Name"), _("Minutes for three seeds"), _("Statements of papers"))
    asked = [name for name, record in locked.frozen().items() if record.changes]
    return plain_table(
        heads, [cheap_row(name) for name in sorted(asked, key=seconds_of_seed)[:CHEAPEST]]
    )


def cheap_row(name: str) -> list[nodes.Node]:
    """Return name, minutes and the numbers of the statements of one record."""
    papers = [
        number
        for number, claim in locked.frozen()[name].claims.items()
        if claim["kind"] == Kind.PAPER
    ]
    return [
        nodes.literal("", name),
        nodes.Text(f"{SEEDS * seconds_of_seed(name) / 60:.1f}"),
        nodes.Text(", ".join(papers)),
    ]


def plain_table(heads: Sequence[str], rows: Sequence[Sequence[nodes.Node]]) -> nodes.table:
    """Return a table."""
    columns = [nodes.colspec(colwidth=1) for _head in heads]
    named = nodes.row("", *(nodes.entry("", nodes.paragraph("", head)) for head in heads))
    body = [
        nodes.row("", *(nodes.entry("", nodes.paragraph("", "", cell)) for cell in row))
        for row in rows
    ]
    group = nodes.tgroup("", *columns, cols=len(columns))
    group += [nodes.thead("", named), nodes.tbody("", *body)]
    return nodes.table("", group)
