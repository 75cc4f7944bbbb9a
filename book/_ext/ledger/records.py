"""The list of committed records: how each was made, and its file."""

from collections.abc import Sequence

from docutils import nodes
from sphinx import addnodes

from bottomup import results
from bottomup.experiments import Record
from bottomup.i18n import _

from .table import record_anchor

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
