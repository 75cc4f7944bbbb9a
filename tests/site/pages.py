"""Which pages the book has, and whether the built site is up to date."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
HTML = ROOT / "_build/html"
STAMP = ".built"  # written by `make site` at the end

SOURCES = (
    "_config.yml",
    "_toc.yml",
    "book/**/*",
    "chapters/*.ipynb",
    "src/bottomup/**/*.py",
    "src/bottomup/**/*.js",
    "src/bottomup/**/*.css",
    "src/bottomup/**/*.json",
)


def toc_pages(toc: Any) -> Iterator[str]:
    """Yield the pages of a table of contents, in reading order."""
    if isinstance(toc, dict):
        yield from (toc[key] for key in ("root", "file") if key in toc)
        for value in toc.values():
            yield from toc_pages(value)
    elif isinstance(toc, list):
        for entry in toc:
            yield from toc_pages(entry)


def book_pages() -> list[str]:
    """Return every page of `_toc.yml` (``book/index``), in reading order."""
    return list(toc_pages(yaml.safe_load(ROOT.joinpath("_toc.yml").read_text("utf-8"))))


def chapter_pages() -> list[str]:
    """Return the pages of the chapters, in reading order."""
    return [name for name in book_pages() if name.startswith("chapters/")]


def with_formulae() -> list[str]:
    """Return the pages of which a narrow screen could cut off formulae, code and tables."""
    return [*chapter_pages(), "book/notation"]


PAGES = [*book_pages(), "search", "genindex", "py-modindex"]


def newer_source(html: Path, root: Path) -> Path | None:
    """Return a source that is newer than the built site (any source where there is no site)."""
    stamp = html / STAMP
    built = stamp.stat().st_mtime if stamp.exists() else 0.0
    paths = (path for pattern in SOURCES for path in root.glob(pattern))
    files = (path for path in paths if path.is_file() and "__pycache__" not in path.parts)
    return next((path for path in files if path.stat().st_mtime > built), None)
