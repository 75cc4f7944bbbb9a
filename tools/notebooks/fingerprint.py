"""Which code a notebook's outputs were made by: `make chapters` notes it in the metadata.

An author who edits a cell and forgets to run it leaves an old output below new code. Where nbval
compares the output, it finds that; below a trained number or a picture nothing else would.
"""

import hashlib

from nbformat import NotebookNode

from tools.notebooks import drawings

NAME = "executed"


def fingerprint(notebook: NotebookNode) -> str:
    """Return the SHA-256 of the code cells, but for the set-up and for cells that show a drawing.

    The set-up names the repository's address, which a fork changes; drawings need no run.
    """
    code = [cell for cell in notebook.cells if cell.cell_type == "code"][1:]
    sources = [cell.source for cell in code if drawings.TAG not in cell.metadata.get("tags", [])]
    return hashlib.sha256("\0".join(sources).encode()).hexdigest()


def is_executed(notebook: NotebookNode) -> bool:
    """Say whether the code is that of the last run."""
    return bool(notebook.metadata.get(NAME) == fingerprint(notebook))
