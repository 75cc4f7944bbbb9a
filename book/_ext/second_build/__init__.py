"""Sphinx extension that makes a build after a change equal to one from nothing.

Sphinx keeps what it read of each page, and writes only the pages that it takes for changed. The
first saves most of a build's time. The second leaves pages of several ages side by side: a search
index without the entries of the pages that were kept, old titles in the navigation, pages of files
that are gone. So here

- a page is read again when something changed that only its directives know of (`inputs`);
- where nothing changed that other pages are written from (`shared`), the pages that were read are
  written, and the search index is made whole (`search`);
- where anything else changed, the output is emptied and every page is written;
- where an extension, the settings, the requirements or the list of pages changed, every page is
  read again;
- a build that gave a warning, or was interrupted, is not built upon: the next one gives it, too.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import desc
from sphinx.application import ENV_PICKLE_FILENAME, Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.util.typing import ExtensionMetadata

from . import inputs, search, shared

# In the output, once it is whole: the digest of what Sphinx copies and does not read. Tests compare
# the file's age with that of the sources.
STAMP = ".built"
MADE_BY_SPHINX = ".buildinfo"
# Beside what Sphinx keeps of each page: the digest of what it was read with, and that of what all
# were written from.
READ_WITH, WRITTEN_FROM = "read_with", "written_from"


def is_whole(app: Sphinx) -> bool:
    """Say whether the output is that of a finished build, with the files that are copied now."""
    stamp = Path(app.outdir, STAMP)
    copied = inputs.digest(Path(app.srcdir), "copied")
    return stamp.exists() and stamp.read_text("utf-8") == copied


def forget_other_settings(app: Sphinx, config: Config) -> None:
    """Have every page read again where what it was read with has changed (``config-inited``)."""
    kept, now = Path(app.doctreedir, READ_WITH), inputs.digest(Path(app.srcdir), "settings")
    if not kept.exists() or kept.read_text("utf-8") != now:
        shutil.rmtree(app.doctreedir, ignore_errors=True)
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(now, "utf-8")


def pages_to_read(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Return the pages of which an input has changed (handler of ``env-get-outdated``).

    Where there is a page more or less these are all: a link to it reads differently.
    """
    if added or removed:
        return sorted(env.found_docs)
    return [page for page in sorted(env.all_docs) if inputs.have_changed(env, page)]


def note_code(app: Sphinx, doctree: nodes.document) -> None:
    """Let a page that documents code depend on all of it (handler of ``doctree-read``)."""
    if any(described["domain"] == "py" for described in doctree.findall(desc)):
        inputs.depend_on(app.env, "code")


class Output:
    """What a build does to the output: nothing, a few pages, or all."""

    def __init__(self) -> None:
        self.read: set[str] = set()
        self.kept_pages = False

    def note_reading(self, app: Sphinx, env: BuildEnvironment, pages: Sequence[str]) -> None:
        """Keep which pages are read (handler of ``env-before-read-docs``)."""
        self.read = set(pages)

    def choose_pages(self, app: Sphinx, env: BuildEnvironment) -> list[str]:
        """Return the pages to write besides those that were read (``env-get-updated``).

        Unless nothing changed, the output no longer counts as whole from here on.
        """
        if app.builder.format != "html":
            return []
        whole, output = is_whole(app), Path(app.outdir)
        if whole and not self.read and not list(app.builder.get_outdated_docs()):
            return []
        output.joinpath(STAMP).unlink(missing_ok=True)
        written_from = Path(app.doctreedir, WRITTEN_FROM)
        before = written_from.read_text("utf-8") if written_from.exists() else None
        now = shared.digest(env)
        written_from.write_text(now, "utf-8")
        self.kept_pages = whole and before == now and not self.read & shared.looked_into(env)
        if self.kept_pages:
            shutil.rmtree(output / "_static")  # its files were cut down
            return []
        empty(output)
        return sorted(env.found_docs)

    def complete_search(self, app: Sphinx) -> list[object]:
        """Complete the search index of a build that kept pages (``html-collect-pages``)."""
        if self.kept_pages:
            search.complete(app.builder.indexer, Path(app.doctreedir))  # type: ignore[attr-defined]
        return []


def empty(output: Path) -> None:
    """Remove what an earlier build wrote; a folder that Sphinx did not make is left alone."""
    if output.joinpath(MADE_BY_SPHINX).exists():
        for path in output.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name != MADE_BY_SPHINX:
                path.unlink()


def forget_after_a_warning(app: Sphinx, *_rest: object) -> None:
    """Keep nothing of a build that gave a warning (twice: ``build-finished``, too)."""
    if app._warncount:
        Path(app.doctreedir, ENV_PICKLE_FILENAME).unlink(missing_ok=True)


def set_stamp(app: Sphinx, error: Exception | None) -> None:
    """Say that the output is whole, and since when (handler of ``build-finished``)."""
    if error is None and app.builder.format == "html" and not app._warncount:
        copied = inputs.digest(Path(app.srcdir), "copied")
        if not is_whole(app):
            search.keep(app.builder.indexer, Path(app.doctreedir))  # type: ignore[attr-defined]
        Path(app.outdir, STAMP).write_text(copied, "utf-8")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the steps to Sphinx's events."""
    app.connect("config-inited", forget_other_settings)
    app.connect("env-get-outdated", pages_to_read)
    output = Output()
    app.connect("env-before-read-docs", output.note_reading)
    app.connect("doctree-read", note_code)
    app.connect("env-get-updated", output.choose_pages, priority=900)  # after the numbering
    app.connect("html-collect-pages", output.complete_search)
    app.connect("env-check-consistency", forget_after_a_warning)
    app.connect("build-finished", forget_after_a_warning)
    app.connect("build-finished", set_stamp, priority=900)  # after those that finish the output
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
