"""Make every copy of the repository's address agree with a new one.

    python -m tools.repository https://github.com/you/fork

The address stands in ``_config.yml`` (``repository: url:``); links, badges, the citation, the
package's metadata and the set-up cells of the notebooks repeat it.
"""

import re
import sys
from collections.abc import Sequence
from pathlib import Path

import yaml

from tools.notebooks.paths import ROOT

ADDRESS = re.compile(r"https://[\w.-]+/[\w.-]+/[\w.-]*\w")
FILES = (
    "_config.yml",
    "pyproject.toml",
    "CITATION.cff",
    "*.md",
    "book/**/*.md",
    "book/**/*.html",
    "chapters/*.ipynb",
    ".github/workflows/*.yml",
)


def current_address(root: Path = ROOT) -> str:
    """Return the address that ``_config.yml`` holds."""
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    return str(config["repository"]["url"]).rstrip("/")


def replace_address(new: str, root: Path = ROOT) -> list[Path]:
    """Write `new` wherever the current address stands; return the files that changed.

    Raises:
        ValueError: `new` is not the address of a repository.
    """
    new = new.rstrip("/").removesuffix(".git")
    if not ADDRESS.fullmatch(new):
        raise ValueError(f"expected an address like https://github.com/you/fork, got {new!r}")
    pattern = re.compile(re.escape(current_address(root)) + r"(?![\w-])")
    changed = []
    for path in sorted({path for glob in FILES for path in root.glob(glob)}):
        text = path.read_text(encoding="utf-8")
        if pattern.search(text):
            path.write_text(pattern.sub(new, text), encoding="utf-8")
            changed.append(path)
    return changed


def main(arguments: Sequence[str]) -> int:
    """Replace the address that the arguments name; print the files that changed."""
    try:
        (new,) = arguments
        changed = replace_address(new)
    except ValueError as error:
        print(f"{error}\nusage: make repository URL=https://github.com/you/fork", file=sys.stderr)
        return 2
    print("\n".join(str(path.relative_to(ROOT)) for path in changed) or "nothing to change")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
