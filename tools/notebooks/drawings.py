"""Cells that show a drawing of the package as it is now.

Such a cell is tagged `TAGS`. Its last line calls the drawing, by what the lines above it import, so
that it is known without running the chapter. What it shows is a `Drawing`, or one in steps.
"""

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pkgutil import iter_modules

from nbformat import NotebookNode
from nbformat.v4 import new_output

from bottomup import drawings
from bottomup.drawings import Drawing
from bottomup.drawings.machine import ABOUT, machine
from bottomup.explorables import Explorable

TAG = "drawing"
TAGS = [TAG, "nbval-ignore-output", "remove-input"]


def renew(notebook: NotebookNode) -> None:
    """Let every such cell show the drawing as it is now, and count all cells anew, in place."""
    for cell, drawing in _cells(notebook):
        cell.outputs = [new_output("execute_result", _data(drawing))]
    for count, cell in enumerate((c for c in notebook.cells if c.cell_type == "code"), start=1):
        cell.execution_count = count
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = count


def outdated(notebook: NotebookNode) -> list[str]:
    """Return the calls of the cells that show something else."""
    return [
        cell.source.splitlines()[-1]
        for cell, drawing in _cells(notebook)
        if cell.execution_count is None
        or [output.get("data") for output in cell.outputs] != [_data(drawing)]
    ]


def every() -> Iterator[tuple[str, Callable[[], Drawing | Explorable]]]:
    """Yield the name of each drawing of the package, and what draws it."""
    for module in iter_modules(drawings.__path__):
        if module.ispkg or module.name == "machine":
            continue
        loaded = import_module(f"bottomup.drawings.{module.name}")
        for name, value in vars(loaded).items():
            own = inspect.isfunction(value) and value.__module__ == loaded.__name__
            if own and value.__annotations__.get("return") in (Drawing, Explorable):
                yield f"{module.name}.{name}", value
    for chapter in ("", *ABOUT):  # the first is that of the book's first page
        yield f"machine.machine {chapter}", partial(machine, chapter)


def _data(drawing: Drawing | Explorable) -> dict[str, str]:
    return {"text/html": drawing._repr_html_(), "text/plain": repr(drawing)}


def _cells(notebook: NotebookNode) -> Iterator[tuple[NotebookNode, Drawing | Explorable]]:
    """Yield the tagged cells, each with what it should show."""
    for cell in notebook.cells:
        if TAG in cell.metadata.get("tags", []):
            above, _, call = cell.source.rpartition("\n")
            names: dict[str, object] = {}
            exec(above, names)
            drawing = eval(call, names)
            if not isinstance(drawing, Drawing | Explorable):
                raise ValueError(f"tagged {TAG}, without a drawing in its last line: {cell.source}")
            yield cell, drawing
