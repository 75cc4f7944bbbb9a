"""Walk through the edits of a day in a fresh clone, and say what each costs.

    python -m tools.walks                   # all four, one after another: half an hour
    python -m tools.walks softmax rename    # some of them
    python -m tools.walks --at COMMIT       # as the repository was then

A walk edits as an author does, then runs the commands that CONTRIBUTING.md names. For each command
it prints the seconds and the exit status, and for the whole walk the files that differ from the
last commit: what a reviewer reads. The clone shares this checkout's .venv, and imports the package
from its own `src`.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tools.notebooks.paths import ROOT

CHAPTER, ROOM = "03", "multi_head_attention"
NOTEBOOK = f"chapters/{CHAPTER}_{ROOM}.ipynb"
FUNCTION = "prefix_matching_score"
RENAMED = f"{FUNCTION}_anew"  # so there is another name, too, where this file has been renamed
CALLED_IN = "09"  # the chapter of which a cell calls it
CLAIM = "03.2c"  # one that is there, the last of its number
PYTHON = ".venv/bin/python"
CHECK, CHAPTERS, RUN_AGAIN = ["make", "check"], ["make", "notebooks"], ["make", "chapters"]
TOLD = re.compile(r"can see the change| passed")  # of what a command prints

Step = Sequence[str]


def softmax(clone: Path) -> Iterator[Step]:
    """Another line in the softmax that every attention of the book goes through."""
    path = clone / "src/bottomup/masks.py"
    text = path.read_text("utf-8")
    path.write_text(re.sub(r"\bspare_*\b", r"\g<0>_", text), "utf-8")
    yield CHECK
    yield CHAPTERS


def rename(clone: Path) -> Iterator[Step]:
    """Another name for a function of `analysis`, wherever the old one stands."""
    listed = subprocess.check_output(
        ["git", "grep", "-lw", FUNCTION], cwd=clone, text=True, encoding="utf-8"
    )
    for name in listed.splitlines():
        path = clone / name
        path.write_text(re.sub(rf"\b{FUNCTION}\b", RENAMED, path.read_text("utf-8")), "utf-8")
    yield [PYTHON, "-m", "ruff", "check", "--fix", "--quiet", "."]
    yield [PYTHON, "-m", "ruff", "format", "--quiet", "."]
    yield [*RUN_AGAIN, f"CH={CALLED_IN}"]
    yield CHECK
    yield CHAPTERS


def sentence(clone: Path) -> Iterator[Step]:
    """One more comma in the prose of a chapter."""

    def add(cells: list[dict[str, object]]) -> None:
        cell = next(cell for cell in cells if " and " in "".join(source(cell)))
        cell["source"] = [line.replace(" and ", ", and ", 1) for line in source(cell)]

    edit_notebook(clone / NOTEBOOK, add)
    yield CHECK


def claim(clone: Path) -> Iterator[Step]:
    """One more claim on a record that is there: here one that is there under another number."""
    path = clone / f"src/bottomup/experiments/{ROOM}/claims.yaml"
    before, start, rest = path.read_text("utf-8").partition(f"  - id: {CLAIM}\n")
    entry, end, after = rest.partition("\n\n")
    new = re.sub("sentence: (>-\n +)?", lambda found: f"{found[0]}So ", entry)
    number = f"{CLAIM[:-1]}{chr(ord(CLAIM[-1]) + 1)}"
    added = start.replace(CLAIM, number) + new + end
    path.write_text(f"{before}{start}{entry}{end}{added}{after}", "utf-8")
    yield tool("register", "update")

    def name(cells: list[dict[str, object]]) -> None:
        *_, cell = (cell for cell in cells if "03.2" in "".join(source(cell)))  # How we know
        cell["source"] = [*source(cell), f" Claim {number} asks once more."]

    edit_notebook(clone / NOTEBOOK, name)
    yield CHECK


WALKS: dict[str, Callable[[Path], Iterator[Step]]] = {
    walk.__name__: walk for walk in (softmax, rename, sentence, claim)
}


def tool(name: str, *words: str) -> Step:
    """Return the command of a tool."""
    return [PYTHON, "-m", f"tools.{name}", *words]


def source(cell: dict[str, object]) -> list[str]:
    """Return the lines of a cell of Markdown or code."""
    lines = cell["source"]
    return [str(line) for line in lines] if isinstance(lines, list) else [str(lines)]


def edit_notebook(path: Path, edit: Callable[[list[dict[str, object]]], None]) -> None:
    """Edit the cells of a notebook as JSON has them."""
    notebook = json.loads(path.read_text("utf-8"))
    edit(notebook["cells"])
    path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", "utf-8")


def clone_at(revision: str, folder: Path) -> Path:
    """Return a fresh clone at a revision that needs no set-up."""
    clone = folder / "clone"
    for command in (
        ["clone", "--quiet", str(ROOT), str(clone)],
        ["-C", str(clone), "checkout", revision],
    ):
        subprocess.run(["git", *command], check=True, capture_output=True)
    (clone / ".venv").symlink_to(ROOT / ".venv")
    (clone / ".git/info/exclude").write_text(".venv\n", "utf-8")
    for name in ("requirements.txt", "pyproject.toml"):  # older than .venv: nothing is installed
        os.utime(clone / name, (0, 0))
    return clone


def walk_through(name: str, clone: Path) -> int:
    """Take one walk and print what it costs; return the number of commands that failed."""
    environment = {**os.environ, "PYTHONPATH": str(clone / "src")}
    first = subprocess.check_output(
        ["git", "rev-parse", "HEAD"], cwd=clone, text=True, encoding="utf-8"
    ).strip()
    seconds, failed = 0.0, 0
    print(f"\n{name}: {WALKS[name].__doc__}", flush=True)
    for step in WALKS[name](clone):
        start = time.monotonic()
        done = subprocess.run(
            step, cwd=clone, env=environment, capture_output=True, text=True, encoding="utf-8"
        )
        took = time.monotonic() - start
        seconds, failed = seconds + took, failed + bool(done.returncode)
        print(f"  {took:6.1f} s  {done.returncode}  {' '.join(step)}", flush=True)
        said = (done.stdout + done.stderr).splitlines()
        told = [line for line in said if TOLD.search(line)] if not done.returncode else said[-15:]
        print("".join(f"    {line}\n" for line in told), end="", flush=True)
    changed = subprocess.check_output(
        ["git", "diff", "--stat", first], cwd=clone, text=True, encoding="utf-8"
    )
    new = subprocess.check_output(
        ["git", "ls-files", "--others", "--exclude-standard"],
        cwd=clone,
        text=True,
        encoding="utf-8",
    )
    files = [*changed.splitlines()[:-1], *(f" {path} | new" for path in new.splitlines())]
    print(f"  {seconds:6.1f} s together, {len(files)} files\n" + "\n".join(files), flush=True)
    return failed


def main(arguments: Sequence[str]) -> int:
    """Take the walks, each in a clone of its own."""
    parser = argparse.ArgumentParser(prog="python -m tools.walks", description=__doc__)
    parser.add_argument("walks", nargs="*", metavar="WALK", help=", ".join(WALKS))
    parser.add_argument("--at", default="HEAD", help="the revision to walk through")
    options = parser.parse_args(arguments)
    if unknown := {*options.walks} - {*WALKS}:
        parser.error(f"expected some of {', '.join(WALKS)}, got {', '.join(sorted(unknown))}")
    failed = 0
    for name in options.walks or WALKS:
        folder = Path(tempfile.mkdtemp())
        failed += walk_through(name, clone_at(options.at, folder))
        shutil.rmtree(folder)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
