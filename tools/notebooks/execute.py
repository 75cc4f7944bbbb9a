"""Execute notebooks in place, several at once, with one progress bar over all cells.

A notebook in which a cell fails keeps the file it had.
"""

import asyncio
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from tqdm import tqdm

from tools.notebooks.closure import Package
from tools.notebooks.digest import store_digest
from tools.notebooks.environment import kernel_environment
from tools.notebooks.normalise import normalise

CELL_TIMEOUT = 900  # seconds; the longest live experiment has a budget of 150


class NotebookError(Exception):
    """A notebook could not be executed; the message names the file and shows the traceback."""


def execute(
    path: Path, *, package: Package | None = None, on_cell: Callable[[], object] | None = None
) -> None:
    """Execute one notebook, store outputs and digest, and replace the file when all went well.

    Args:
        path: the notebook.
        package: the package the digest is about; the course's own by default.
        on_cell: called after each executed cell.

    Raises:
        NotebookError: a cell failed, ran for too long, or the kernel died. The file is as it was.
    """
    notebook = nbformat.read(path, as_version=4)

    def report(**_: Any) -> None:
        if on_cell is not None:
            on_cell()

    client = NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
        extra_arguments=["--IPKernelApp.log_level=ERROR"],  # it warns of TCP, which stays local
        record_timing=False,
        coalesce_streams=True,
        store_widget_state=True,  # False fails on `interact`; the state is dropped below
        on_cell_executed=report,
    )
    try:
        asyncio.run(client.async_execute(env=kernel_environment()))
        store_digest(notebook, package)
    except CellExecutionError as error:
        raise NotebookError(f"{path}: a cell failed\n{error}") from error
    except Exception as error:  # a dead kernel, a timeout, an import of nothing
        raise NotebookError(f"{path}: {type(error).__name__}: {error}") from error
    normalise(notebook)
    write(notebook, path)


def write(notebook: nbformat.NotebookNode, path: Path) -> None:
    """Write the notebook in one step: an interrupted run leaves the old file."""
    part = path.with_name(f".{path.name}.part")
    nbformat.write(notebook, part)
    os.replace(part, path)


def execute_all(paths: Sequence[Path], *, jobs: int | None = None) -> list[NotebookError]:
    """Execute notebooks side by side and return the errors; a failure does not stop the others."""
    jobs = jobs or min(len(paths), os.cpu_count() or 1)
    cells = sum(count_cells(path) for path in paths)
    errors: list[NotebookError] = []
    with tqdm(total=cells, unit="cell", desc="chapters") as bar, ThreadPoolExecutor(jobs) as pool:

        def one(path: Path) -> None:
            try:
                execute(path, on_cell=bar.update)
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
