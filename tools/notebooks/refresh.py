"""Renew digests that are out of date, where the stored outputs still hold.

An edit of a helper changes a chapter's digest, and seldom an output. Each such chapter runs under
nbval, as in the tests. Where every output agrees, the digest is written, beside the notebook, which
stays as it is, and what the outputs say is noted anew (`tools.notebooks.said`). Pictures, and cells
that nbval is told to ignore, are not compared: after a change of those, execute the chapter
instead. Code of the package that a cell shows is shown as it is now, and so is a drawing; an
interactive figure has the script and style of now. None alone needs a run.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from tqdm import tqdm

from tools.notebooks import drawings, explorables, sources
from tools.notebooks.digest import notebook_digest, store_digest, stored_digest
from tools.notebooks.execute import NotebookError, note, write
from tools.notebooks.paths import ROOT

KNOWN = sources, drawings, explorables  # what they show is known without a run


def is_stale(path: Path) -> bool:
    """Say whether the digest, or what is known without a run, is not what it should be."""
    notebook = nbformat.read(path, as_version=4)
    return is_untried(path, notebook) or is_outdated(notebook)


def is_outdated(notebook: NotebookNode) -> bool:
    """Say whether shown code, a drawing or the script of a figure is not the package's of now."""
    return any(part.outdated(notebook) for part in KNOWN)


def is_untried(path: Path, notebook: NotebookNode) -> bool:
    """Say whether a notebook's digest is not the one that is stored."""
    return stored_digest(path) != notebook_digest(notebook)


def compare(path: Path) -> str | None:
    """Run a notebook and compare its outputs; return what pytest printed where they differ."""
    command = [sys.executable, "-m", "pytest", "-q", "--nbval", str(path)]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    result = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    return result.stdout + result.stderr if result.returncode else None


def refresh(path: Path) -> str | None:
    """Renew digest and what is shown where the outputs hold; else return what differs."""
    before = path.read_bytes()
    notebook = nbformat.reads(before.decode("utf-8"), as_version=4)
    difference = compare(path) if is_untried(path, notebook) else None
    if difference is None and path.read_bytes() != before:
        difference = "the file changed while it ran"
    if difference is None:
        if is_outdated(notebook):
            for part in KNOWN:
                part.renew(notebook)
            write(notebook, path)
        store_digest(path, notebook)
    return difference


def refresh_all(paths: Sequence[Path]) -> dict[Path, str]:
    """Renew what can be renewed, side by side; return what differs in the others."""
    stale = [path for path in paths if is_stale(path)]
    failed: dict[Path, str] = {}
    bar = tqdm(total=len(stale), unit="chapter", desc="refresh")

    def one(path: Path) -> None:
        try:
            difference = refresh(path)
            if difference is None:
                note(path)
        except NotebookError as error:
            difference = str(error)
        if difference is not None:
            failed[path] = difference
        bar.write(f"{'differs' if path in failed else 'renewed'} {path}")
        bar.update()

    with bar, ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(one, stale))
    return failed
