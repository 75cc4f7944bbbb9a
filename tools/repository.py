"""Make every copy of the repository's address agree with a new one.

    python -m tools.repository https://github.com/you/fork

The address stands in ``_config.yml`` (``repository: url:``); links, badges, the citation, the
package's metadata and the set-up cells of the notebooks repeat it.
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import nbformat
import yaml

from tools.notebooks.digest import notebook_digest, store_digest, stored_digest
from tools.notebooks.execute import write
from tools.notebooks.paths import ROOT

ADDRESS = re.compile(r"https://[\w.-]+/[\w.-]+/[\w.-]*\w")
FILES = (
    "_config.yml",
    "pyproject.toml",
    "CITATION.cff",
    "*.md",
    "book/**/*.md",
    "book/**/*.html",
    ".github/workflows/*.yml",
)


def current_address(root: Path = ROOT) -> str:
    """Return the address that ``_config.yml`` holds."""
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    return str(config["repository"]["url"]).rstrip("/")


def text_files(root: Path = ROOT) -> list[Path]:
    """Return the files other than notebooks in which the address may stand."""
    return sorted({path for pattern in FILES for path in root.glob(pattern)})


def replace_address(new: str, root: Path = ROOT) -> list[Path]:
    """Write `new` wherever the current address stands; return the files that changed.

    Raises:
        ValueError: `new` is not the address of a repository.
    """
    new = new.rstrip("/").removesuffix(".git")
    if not ADDRESS.fullmatch(new):
        raise ValueError(f"expected an address like https://github.com/you/fork, got {new!r}")
    pattern = re.compile(re.escape(current_address(root)) + r"(?![\w-])")
    changed = [path for path in text_files(root) if _replace_in_text(path, pattern, new)]
    notebooks = sorted((root / "chapters").glob("*.ipynb"))
    return changed + [path for path in notebooks if _replace_in_notebook(path, pattern, new)]


def _replace_in_text(path: Path, pattern: re.Pattern[str], new: str) -> bool:
    old = path.read_text(encoding="utf-8")
    text = pattern.sub(new, old)
    if text != old:
        path.write_text(text, encoding="utf-8")
    return text != old


def _replace_in_notebook(path: Path, pattern: re.Pattern[str], new: str) -> bool:
    """Replace in cells. A digest that was right is renewed: an address changes no output."""
    notebook = nbformat.read(path, as_version=4)
    fresh = stored_digest(path) == notebook_digest(notebook)
    changed = False
    for cell in notebook.cells:
        source = pattern.sub(new, cell.source)
        changed = changed or source != cell.source
        cell.source = source
    if changed:
        write(notebook, path)
        if fresh:
            store_digest(path, notebook)
    return changed


def main(arguments: Sequence[str]) -> int:
    """Replace the address and print the files that changed."""
    if len(arguments) != 1:
        print("usage: make repository URL=https://github.com/you/fork", file=sys.stderr)
        return 2
    try:
        changed = replace_address(arguments[0])
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    print("\n".join(str(path.relative_to(ROOT)) for path in changed) or "nothing to change")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
