"""The pages of the book that are translated, and the messages of each."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tools.notebooks.paths import ROOT
from tools.translate.blocks import blocks, replaced

LOCALE = ROOT / "locale"
API = "book/api/"  # docstrings stay English


@dataclass(frozen=True)
class Page:
    """A page: its name in ``_toc.yml``, such as ``chapters/00_warm_up``, and its file."""

    name: str
    path: Path

    @property
    def is_notebook(self) -> bool:
        """Whether the page is a notebook: Markdown and the words for plots are translated."""
        return self.path.suffix == ".ipynb"

    def catalogue(self, language: str) -> Path:
        """Return where the page's messages lie."""
        return LOCALE / language / f"{self.name}.po"

    def texts(self) -> list[str]:
        """Return the page's Markdown, a text a cell; a plot's cell has what is said of the plot."""
        if not self.is_notebook:
            return [self.path.read_text("utf-8")]
        said = (joined(cell) if is_prose(cell) else alt(cell) for cell in self.notebook()["cells"])
        return [text for text in said if text]

    def messages(self) -> list[str]:
        """Return what there is to translate, each message once, in the order of the page."""
        return list(dict.fromkeys(b.message for text in self.texts() for b in blocks(text)))

    def untranslated(self, translations: Mapping[str, str]) -> list[str]:
        """Return the messages that stay English, each as often as it stands on the page."""
        found = [block.message for text in self.texts() for block in blocks(text)]
        return [message for message in found if not translations.get(message)]

    def translated(self, translations: dict[str, str]) -> str:
        """Return the content of the page's file in another language."""
        if not self.is_notebook:
            return replaced(self.texts()[0], translations)
        notebook = self.notebook()
        for cell in notebook["cells"]:
            if not is_prose(cell):
                if alt(cell):
                    cell["metadata"]["mystnb"]["image"]["alt"] = replaced(alt(cell), translations)
                continue
            new = replaced(joined(cell), translations)
            if new != joined(cell):
                cell["source"] = new.splitlines(keepends=True)
        return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"

    def notebook(self) -> dict[str, Any]:
        """Return the notebook as JSON has it."""
        content: dict[str, Any] = json.loads(self.path.read_text("utf-8"))
        return content


def is_prose(cell: dict[str, Any]) -> bool:
    """Say whether a cell holds Markdown."""
    return bool(cell["cell_type"] == "markdown")


def alt(cell: dict[str, Any]) -> str:
    """Return what a reader hears in the place of a cell's plot; of a cell without one, nothing."""
    image = cell["metadata"].get("mystnb", {}).get("image", {})
    return str(image.get("alt", ""))


def joined(cell: dict[str, Any]) -> str:
    """Return the source of a cell, which nbformat stores as a text or as lines."""
    return "".join(cell["source"])


def contents(root: Path = ROOT) -> dict[str, Any]:
    """Return what ``_toc.yml`` holds."""
    read: dict[str, Any] = yaml.safe_load(root.joinpath("_toc.yml").read_text("utf-8"))
    return read


def entries(part: Any) -> Iterator[dict[str, Any]]:
    """Yield every mapping in a table of contents, from the outside inwards."""
    if isinstance(part, dict):
        yield part
    for each in part.values() if isinstance(part, dict) else part if isinstance(part, list) else []:
        yield from entries(each)


def all_pages() -> list[Page]:
    """Return the pages of the book in its order, without the API."""
    toc = contents()
    names = [toc["root"], *(entry["file"] for entry in entries(toc) if "file" in entry)]
    return [Page(name, find(name)) for name in names if not name.startswith(API)]


def released(language: str) -> set[str]:
    """Return the names of the pages that are released in a language."""
    path = LOCALE / language / "released.txt"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return {line.strip() for line in lines if line.strip() and not line.startswith("#")}


def find(name: str) -> Path:
    """Return the file of a page.

    Raises:
        FileNotFoundError: there is none.
    """
    for suffix in (".md", ".ipynb"):
        path = ROOT / f"{name}{suffix}"
        if path.exists():
            return path
    raise FileNotFoundError(f"name: expected a page of the book, got {name!r}")
