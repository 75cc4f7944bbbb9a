"""What a page depends on besides its own file, by content: no date of a file counts."""

import json
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path

from sphinx.environment import BuildEnvironment


def headings(path: Path) -> bytes:
    """Return the headings of a notebook."""
    cells = json.loads(path.read_bytes())["cells"]
    prose = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    lines = [line for text in prose for line in text.splitlines() if line.startswith("#")]
    return "\n".join(lines).encode()


# Kind of input -> its files.
FILES = {
    "code": ("src/bottomup/**/*.py", "src/bottomup/**/*.po"),
    "figures": ("src/bottomup/explorables/**/*.js", "src/bottomup/explorables/**/*.css"),
    "texts": ("src/bottomup/exercises/**/*.md",),
    "records": ("src/bottomup/results/**/*.json", "src/bottomup/results/**/*.npz"),
    "headings": ("chapters/*.ipynb",),
    "chapters": ("chapters/*.ipynb",),
    "fast path": ("book/fast_path.yml",),
    "wrong answers": (
        "src/bottomup/exercises/**/*.py",
        "src/bottomup/exercises/**/*.md",
        "src/bottomup/**/*.po",
    ),
    "references": ("book/**/*.bib",),
    "contents": ("_toc.yml",),
    "languages": ("locale/*/released.txt",),
    "copied": ("book/_static/**/*", "book/_templates/**/*"),
    "settings": ("book/_ext/**/*.py", "_config.yml", "requirements.txt"),
}
# Kind of input -> what counts of a file, where it is not all.
PARTS: dict[str, Callable[[Path], bytes]] = {"headings": headings}
KEPT_AS = "inputs"  # in Sphinx's metadata of a page, which it forgets and merges by itself


@cache
def digest(root: Path, kind: str) -> str:
    """Return a digest over names and contents of the files of a kind, once a build.

    Raises:
        KeyError: there is no such kind.
    """
    paths = {path for pattern in FILES[kind] for path in root.glob(pattern) if path.is_file()}
    total = sha256()
    for path in sorted(paths):
        if "__pycache__" not in path.parts:
            content = sha256(PARTS.get(kind, Path.read_bytes)(path)).hexdigest()
            total.update(f"{path.relative_to(root).as_posix()} {content}\n".encode())
    return total.hexdigest()


def depend_on(env: BuildEnvironment, *kinds: str) -> None:
    """Have the page that is being read read again when a file of these kinds has changed."""
    kept = env.metadata[env.docname].setdefault(KEPT_AS, {})
    kept.update({kind: digest(Path(env.srcdir), kind) for kind in kinds})


def have_changed(env: BuildEnvironment, page: str) -> bool:
    """Say whether an input of a page is not what it was when the page was read."""
    kept = env.metadata[page].get(KEPT_AS, {})
    return any(digest(Path(env.srcdir), kind) != before for kind, before in kept.items())
