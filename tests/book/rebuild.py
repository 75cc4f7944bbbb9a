"""Build a copy of the book, edit it, build it again, and compare with a build from nothing.

    python -m tests.book.rebuild    # the whole book, one edit after another: twenty minutes

The edits are those that an author makes in a day. Each has shown, or could show, a page that Sphinx
alone would have left as it was.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path

import yaml

from tests.site.pages import ROOT, STAMP

SOURCES = ("_config.yml", "_toc.yml", "requirements.txt", "book", "chapters", "src")
START = "from jupyter_book.cli.main import main; main()"
BUILD = (sys.executable, "-c", START, "build", ".", "--keep-going")

COLOUR = re.compile(r"\x1b\[[0-9;]*m")

Edit = Callable[[Path], None]


def copy_sources(folder: Path) -> None:
    """Copy what a build reads into a new folder."""
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            left_out = shutil.ignore_patterns("__pycache__", "*.egg-info", ".ipynb_checkpoints")
            shutil.copytree(source, folder / name, ignore=left_out)
        else:
            shutil.copy(source, folder / name)


def cut(folder: Path, pages: Sequence[str]) -> None:
    """Leave of the copied book a few pages; links to the others are no warnings."""
    root, *others = pages
    toc = {"format": "jb-book", "root": root, "chapters": [{"file": page} for page in others]}
    folder.joinpath("_toc.yml").write_text(yaml.safe_dump(toc), "utf-8")
    config = yaml.safe_load(folder.joinpath("_config.yml").read_text("utf-8"))
    config["sphinx"]["config"]["suppress_warnings"] = ["myst.xref_missing", "ref", "bibtex"]
    folder.joinpath("_config.yml").write_text(yaml.safe_dump(config), "utf-8")


def build(folder: Path, *options: str) -> str:
    """Build the copy, with the package that it holds, and return what was printed."""
    environment = {**os.environ, "PYTHONPATH": str(folder / "src")}
    command = [*BUILD, *options]
    result = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    if result.returncode:
        raise RuntimeError(f"the build failed:\n{result.stdout}\n{result.stderr}")
    return result.stdout


def pages_read(printed: str) -> list[str]:
    """Return the pages that a build read, off what it printed."""
    return pages_of("reading sources", printed)


def pages_written(printed: str) -> list[str]:
    """Return the pages that a build wrote; Sphinx writes the first page of the book each time."""
    return pages_of("writing output", printed)


def pages_of(step: str, printed: str) -> list[str]:
    """Return the pages of a step, the last word of each of its lines, without colours."""
    lines = [COLOUR.sub("", line) for line in printed.splitlines() if step in line and "%" in line]
    return [line.split()[-1] for line in lines]


def contents(folder: Path) -> dict[str, str]:
    """Return a digest of every file of the built site."""
    site = folder / "_build/html"
    files = (path for path in site.rglob("*") if path.is_file())
    return {
        path.relative_to(site).as_posix(): sha256(path.read_bytes()).hexdigest() for path in files
    }


def differing(site: dict[str, str], other: dict[str, str]) -> list[str]:
    """Return the files that only one of two sites has, or that differ."""
    names = sorted({*site, *other} - {STAMP})
    return [name for name in names if site.get(name) != other.get(name)]


def replace(path: str, old: str, new: str) -> Edit:
    """Return an edit that replaces the first `old` in a file."""

    def edit(folder: Path) -> None:
        text = folder.joinpath(path).read_text("utf-8")
        if old not in text:
            raise ValueError(f"{path}: expected to find {old!r}")
        folder.joinpath(path).write_text(text.replace(old, new, 1), "utf-8")

    return edit


def edit_sentence(folder: Path) -> None:
    """Give a chapter another sentence, below its headings."""
    path = folder / "chapters/02b_intra_attention.ipynb"
    notebook = json.loads(path.read_text("utf-8"))
    prose = [cell for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    prose[1]["source"] += ["\n", "\n", "A sentence about floccinaucinihilipilification.\n"]
    path.write_text(json.dumps(notebook), "utf-8")


def edit_chapter(folder: Path) -> None:
    """Give a chapter another title and another first sentence."""
    path = folder / "chapters/00_warm_up.ipynb"
    notebook = json.loads(path.read_text("utf-8"))
    prose = next(cell for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    prose["source"] = ["# Another title\n", "\n", "A sentence about antidisestablishment.\n"]
    path.write_text(json.dumps(notebook), "utf-8")


def remove_page(folder: Path) -> None:
    """Take a page out of the book."""
    toc = folder / "_toc.yml"
    lines = toc.read_text("utf-8").splitlines(keepends=True)
    toc.write_text("".join(line for line in lines if "book/teaching" not in line), "utf-8")
    folder.joinpath("book/teaching.md").unlink()


EDITS: dict[str, Edit] = {
    "nothing": lambda folder: None,
    "an extension": replace(
        "book/_ext/ledger/table.py", '_("In the paper")', '_("As the paper has it")'
    ),
    "a sentence": edit_sentence,
    "a chapter": edit_chapter,
    "the glossary": replace("book/glossary.md", "softmax\n", "softmax\nanotherterm\n"),
    "a docstring": replace(
        "src/bottomup/masks.py", '"""Return', '"""Return as antidisestablishmentarians do'
    ),
    "a style sheet": replace("book/_static/book.css", "{", "{ --another: 1;"),
    "a record": replace("src/bottomup/results/attention.json", '"threads": 1', '"threads": 11'),
    "the text of an exercise": replace(
        "src/bottomup/exercises/warm_up/stable_softmax.md", "8 minutes", "58 minutes"
    ),
    "a recorded report": replace(
        "book/wrong_answers/warm_up.json", "not right yet</strong>", "not yet right</strong>"
    ),
    "a bibliography": replace("book/references.bib", "Vaswani", "Vaswanison"),
    "a page less": remove_page,
}


def main() -> int:
    """Try every edit on the whole book and print what each build read, and what differed."""
    status = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "book")
        folder.mkdir()
        copy_sources(folder)
        build(folder)
        for name, edit in EDITS.items():
            edit(folder)
            printed = build(folder)
            read, written = len(pages_read(printed)), len(pages_written(printed))
            again = contents(folder)
            shutil.move(folder / "_build", Path(scratch, "kept"))
            build(folder)
            found = differing(again, contents(folder))
            shutil.rmtree(folder / "_build")
            shutil.move(Path(scratch, "kept"), folder / "_build")
            pages = f"{read:>3} pages read, {written:>3} written"
            print(f"{name:<16} {pages}, {len(found)} files differ {found[:5]}")
            sys.stdout.flush()
            status |= bool(found)
    return status


if __name__ == "__main__":
    sys.exit(main())
