"""Execute notebooks in place, several at once, with one progress bar over all cells.

A chapter is executed twice, the second time to note what its outputs say (`tools.notebooks.said`).
A notebook in which a cell fails keeps the file it had, and pictures that look the same stay as they
were stored (`tools.notebooks.kept`). On a loaded machine a message of the kernel is lost now
and then; the notebook is then executed once more, from its first cell.
"""

import asyncio
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from tqdm import tqdm

from bottomup.files import write_atomically
from tools.notebooks import plots, said, sliders
from tools.notebooks.client import Client
from tools.notebooks.environment import kernel_environment
from tools.notebooks.fingerprint import NAME, fingerprint
from tools.notebooks.kept import keep_pictures
from tools.notebooks.normalise import normalise
from tools.notebooks.paths import CHAPTERS
from tools.notebooks.pictures import lighten

CELL_TIMEOUT = 600  # seconds, as under nbval; the longest live experiment has a budget of 150
NOTEBOOK_TIMEOUT = 1800  # seconds
ATTEMPTS = 2  # each with a kernel of its own
KERNEL_OPTIONS = [
    "--IPKernelApp.log_level=ERROR",  # it warns of TCP, which stays local
    "--InlineBackend.figure_formats={'retina'}",  # two pixels a point: sharp on any screen
]
NO_ANSWER = (TimeoutError, RuntimeError)  # a dead kernel, one that does not start: RuntimeError


class NotebookError(Exception):
    """A notebook could not be executed; the message names the file and shows the traceback."""


def execute(path: Path, *, on_cell: Callable[[], object] | None = None) -> None:
    """Execute one notebook, and replace the file when all went well.

    Args:
        path: the notebook.
        on_cell: called after each executed cell, once for each cell.

    Raises:
        NotebookError: a cell failed, the kernel died or fell silent in every attempt, or somebody
            changed the file meanwhile. The file is as it was.
    """
    reported: set[int] = set()
    before = path.read_bytes()

    def report(cell_index: int, **_: object) -> None:
        if on_cell is not None and cell_index not in reported:
            reported.add(cell_index)
            on_cell()

    try:
        notebook = executed(path, report)
    except CellExecutionError as error:
        raise NotebookError(f"{path}: a cell failed\n{error}") from error
    except NO_ANSWER as error:
        message = f"{path}: no answer from the kernel in {ATTEMPTS} attempts, the last time"
        raise NotebookError(f"{message} {type(error).__name__}: {error}") from error
    except Exception as error:  # an import of nothing, no kernel
        raise NotebookError(f"{path}: {type(error).__name__}: {error}") from error
    normalise(notebook)
    lighten(notebook)
    if path.read_bytes() != before:
        raise NotebookError(f"{path}: the file changed while it ran. Run it again")
    keep_pictures(notebook, nbformat.read(path, as_version=4))
    notebook.metadata[NAME] = fingerprint(notebook)
    write(notebook, path)


def note(path: Path) -> None:
    """Run a chapter in the language of marks, and store what its outputs and plots are made of.

    Raises:
        NotebookError: it fails in that language.
    """
    if path.resolve().parent != CHAPTERS:
        return
    try:
        done = run(said.in_marks(nbformat.read(path, as_version=4)), path.parent, lambda **_: None)
    except Exception as error:
        raise NotebookError(f"{path}: in the language of marks: {error}") from error
    write_atomically(
        said.file_of(path), lambda file: file.write(said.of_notebook(done).encode("utf-8"))
    )
    plots.store(path, plots.of_notebook(done))


def executed(path: Path, report: Callable[..., None]) -> NotebookNode:
    """Return the executed notebook of a file; a silent kernel is replaced by a fresh one."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return run(nbformat.read(path, as_version=4), path.parent, report)
        except NO_ANSWER:
            if attempt == ATTEMPTS:
                raise
    raise ValueError(f"ATTEMPTS is {ATTEMPTS}, expected at least 1")


def run(notebook: NotebookNode, folder: Path, report: Callable[..., None]) -> NotebookNode:
    """Execute a notebook with a new kernel in `folder`; `report` is called after each cell.

    A last cell, which is not stored, moves the notebook's sliders.
    """
    length = len(notebook.cells)
    notebook.cells.append(new_code_cell(sliders.source()))

    def report_own(cell_index: int, **details: Any) -> None:
        if cell_index < length:
            report(cell_index=cell_index, **details)

    client = Client(
        notebook,
        timeout=CELL_TIMEOUT,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        extra_arguments=KERNEL_OPTIONS,
        record_timing=False,
        coalesce_streams=True,
        store_widget_state=True,  # False fails on a widget; the state is dropped below
        on_cell_executed=report_own,
    )

    async def limited() -> NotebookNode:
        running = client.async_execute(env=kernel_environment())
        return await asyncio.wait_for(running, NOTEBOOK_TIMEOUT)

    done = asyncio.run(limited())
    del done.cells[length:]
    return done


def write(notebook: nbformat.NotebookNode, path: Path) -> None:
    """Write the notebook in one step: an interrupted run leaves the old file."""
    text = nbformat.writes(notebook).rstrip("\n") + "\n"
    write_atomically(path, lambda file: file.write(text.encode()))


def execute_all(paths: Sequence[Path], *, jobs: int | None = None) -> list[NotebookError]:
    """Execute notebooks side by side and return the errors; a failure does not stop the others."""
    jobs = jobs or min(len(paths), os.cpu_count() or 1)
    cells = sum(count_cells(path) for path in paths)
    errors: list[NotebookError] = []
    with tqdm(total=cells, unit="cell", desc="chapters") as bar, ThreadPoolExecutor(jobs) as pool:

        def one(path: Path) -> None:
            try:
                execute(path, on_cell=bar.update)
                note(path)
                bar.write(f"executed {path}")
            except NotebookError as error:
                errors.append(error)
                bar.write(f"FAILED   {path}")

        list(pool.map(one, paths))
    return errors


def count_cells(path: Path) -> int:
    """Return the number of code cells that will run."""
    notebook = nbformat.read(path, as_version=4)
    return sum(cell.cell_type == "code" and bool(cell.source.strip()) for cell in notebook.cells)
