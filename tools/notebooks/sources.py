"""Cells that show a function of the package as it stands there.

Such a cell is tagged ``source`` and ``nbval-ignore-output``, and its last line names the function
by a part of the package: ``show_source(attention.additive_scores)``. What it shows is known without
running the chapter.
"""

import re
from collections.abc import Iterator
from importlib import import_module
from operator import attrgetter

from nbformat import NotebookNode
from nbformat.v4 import new_output

from bottomup.source import Source, show_source

TAG = "source"
CALL = re.compile(r"^show_source\((\w+)\.([\w.]+)\)\s*\Z", re.MULTILINE)


def renew(notebook: NotebookNode) -> None:
    """Let every such cell show the code as it is now, in place."""
    for cell, source in _cells(notebook):
        count = cell.execution_count
        cell.outputs = [new_output("execute_result", _data(source), execution_count=count)]


def outdated(notebook: NotebookNode) -> list[str]:
    """Return the calls of the cells that show something else."""
    return [
        cell.source.splitlines()[-1]
        for cell, source in _cells(notebook)
        if [output.get("data") for output in cell.outputs] != [_data(source)]
    ]


def _data(source: Source) -> dict[str, str]:
    return {"text/markdown": source._repr_markdown_(), "text/plain": repr(source)}


def _cells(notebook: NotebookNode) -> Iterator[tuple[NotebookNode, Source]]:
    """Yield the tagged cells, each with what it should show."""
    for cell in notebook.cells:
        if TAG not in cell.metadata.get("tags", []):
            continue
        call = CALL.search(cell.source)
        if call is None:
            raise ValueError(
                f"tagged {TAG}, without a last line show_source(part.name): {cell.source}"
            )
        part, name = call.groups()
        yield cell, show_source(attrgetter(name)(import_module(f"bottomup.{part}")))
