"""Stored outputs that a run need not replace: pictures that look the same, numbers of a machine.

A picture is kept where the new one differs from it by no more than the eye sees. What a cell
tagged `IGNORED` shows, such as a timing, is kept where it differs in its digits or its pictures
alone and nothing that it depends on has changed since it was stored: neither the cells above, nor
the package. For that the notebook of the last commit is asked: its digest is the one that is
stored, and the cell stands in it below the same cells. An exercise's own cells do not count.
"""

import base64
import io
import re
import subprocess
from itertools import accumulate
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from PIL import Image, ImageChops

from tools.notebooks import drawings, explorables, sources
from tools.notebooks.closure import Package
from tools.notebooks.digest import notebook_digest, stored_digest
from tools.notebooks.pictures import PNG

IGNORED = "nbval-ignore-output"
SEEN = 4  # of 255 steps of a colour: less is the palette of a run
DIGITS = re.compile(r"\d+(?:[.,]\d+)*(?:e[+-]?\d+)?")
SPACE = re.compile(r"\s+")
OF_EXERCISE = re.compile(r'(?:^|\n)(?:(?:check|catch)\(".+\)|    \.\.\.)\s*$')


def keep(notebook: NotebookNode, path: Path, package: Package | None = None) -> None:
    """Put stored outputs back into an executed notebook, in place; it will replace `path`."""
    committed, here = last_commit(path), nbformat.read(path, as_version=4)
    keep_pictures(notebook, here)
    before = committed or here
    if stored_digest(path) == notebook_digest(before, package):
        keep_ignored(notebook, before)
        explorables.renew(notebook)


def last_commit(path: Path) -> NotebookNode | None:
    """Return the notebook as the last commit has it; None if git does not know it."""
    command = ["git", "show", f"HEAD:./{path.name}"]
    shown = subprocess.run(command, cwd=path.resolve().parent, capture_output=True, check=False)
    return None if shown.returncode else nbformat.reads(shown.stdout.decode(), as_version=4)


def keep_pictures(notebook: NotebookNode, stored: NotebookNode) -> None:
    """Put back each picture of a cell, known by its source, that looks as the new one does."""
    before = {cell.source: pictures(cell) for cell in code_cells(stored)}
    for cell in code_cells(notebook):
        old, new = before.get(cell.source, []), pictures(cell)
        if len(old) == len(new):
            for kept, data in zip(old, new, strict=True):
                if look_alike(kept[PNG], data[PNG]):
                    data[PNG] = kept[PNG]


def keep_ignored(notebook: NotebookNode, stored: NotebookNode) -> None:
    """Put back the outputs of each ignored cell that differ in digits and pictures alone."""
    before = dict(zip(with_cells_above(stored), code_cells(stored), strict=True))
    shown = {drawings.TAG, sources.TAG}  # what the package says now, without a run
    for above, cell in zip(with_cells_above(notebook), code_cells(notebook), strict=True):
        tags, old = {*cell.metadata.get("tags", [])}, before.get(above)
        if IGNORED in tags and not tags & shown and old and says(old) == says(cell):
            count = cell.execution_count
            cell.outputs = old.outputs
            for output in cell.outputs:
                if "execution_count" in output:
                    output.execution_count = count


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """Return the code cells of a notebook, but those of exercises."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [cell for cell in code if not OF_EXERCISE.search(cell.source)]


def with_cells_above(notebook: NotebookNode) -> list[str]:
    """Return for each code cell its source below those of all cells above."""
    return [*accumulate((cell.source for cell in code_cells(notebook)), "{}\n\0{}".format)]


def pictures(cell: NotebookNode) -> list[NotebookNode]:
    """Return the data of the outputs of a cell that hold a picture."""
    return [output.data for output in cell.outputs if PNG in output.get("data", {})]


def look_alike(one: str, other: str) -> bool:
    """Say whether two pictures in base64 differ by nothing that is seen."""
    first, second = (
        Image.open(io.BytesIO(base64.b64decode(png))).convert("RGBA") for png in (one, other)
    )
    if first.size != second.size:
        return False
    return max(ImageChops.difference(first, second).tobytes()) <= SEEN


def says(cell: NotebookNode) -> list[object]:
    """Return what a cell shows, without its digits, the spaces around them, and its pictures."""
    found: list[object] = []
    for output in cell.outputs:
        texts = {"text": output.text} if "text" in output else dict(output.get("data", {}))
        kinds = {
            kind: "" if kind == PNG else SPACE.sub(" ", DIGITS.sub(" # ", "".join(text)))
            for kind, text in texts.items()
        }
        found.append((output.output_type, kinds))
    return found
