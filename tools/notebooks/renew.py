"""Show again what is known without a run: code of the package, drawings, the script of a figure.

Whether the other outputs hold, `make notebooks` says, which runs every chapter and compares.
"""

from pathlib import Path

import nbformat

from tools.notebooks import drawings, explorables, sources
from tools.notebooks.execute import write

KNOWN = sources, drawings, explorables


def renew(path: Path) -> bool:
    """Let a stored notebook show what the package has now; say whether it was out of date."""
    notebook = nbformat.read(path, as_version=4)
    outdated = any(part.outdated(notebook) for part in KNOWN)
    if outdated:
        for part in KNOWN:
            part.renew(notebook)
        write(notebook, path)
    return outdated
