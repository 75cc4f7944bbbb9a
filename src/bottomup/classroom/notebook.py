"""The notebook that students get: what the exercises need of their chapters, stubs and checks.

The text of a section goes along up to the exercise, with its drawings, short code and what that
prints; nothing of it has to be run. Hints, the line with the solution and the test of an exercise
stay behind, and so do sources and code that gives an answer away (`giving_away`). Equations that
are cited from elsewhere in the chapter go along.
"""

import base64
import json
import re
from collections.abc import Iterator, Sequence
from datetime import date
from html import escape
from pathlib import Path
from typing import Any

import bottomup
from bottomup.classroom.giving_away import gives_away
from bottomup.exercises.engine.exercise import Exercise
from bottomup.exercises.engine.registry import find
from bottomup.i18n import _

COURSE = "https://github.com/transformers-bottom-up/transformers-bottom-up"
CHAPTERS = Path(bottomup.__file__).parents[2] / "chapters"
WITHOUT_CODE = {"hide-input", "remove-input", "remove-cell", "source", "explorable"}
WITHOUT_OUTPUT = {"remove-cell", "source", "explorable"}
HINTS = re.compile(r"<details><summary>(?:Hint|힌트) 1</summary>")
FOLDED = re.compile(r"<details>.*?</details>", re.DOTALL)
EQUATION = re.compile(r"\$\$(?:(?!\$\$).)*?\\tag\{(\d+)\}.*?\$\$", re.DOTALL)
CITED = re.compile(r"(?<![\w$}])\((\d+)\)")
WIDTH = 100  # of the lines of the archive

Cell = dict[str, Any]


def notebook(
    slugs: Sequence[str], archive: bytes, *, day: date, chapters: Path = CHAPTERS
) -> dict[str, Any]:
    """Return a notebook with some exercises, which are checked with an archive."""
    cells = [_markdown(_title(slugs, day)), _set_up(archive)]
    for chapter in dict.fromkeys(find(slug).chapter for slug in slugs):
        own = [find(slug) for slug in slugs if find(slug).chapter == chapter]
        cells += of_chapter(own, chapter_file(chapter, chapters))
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    about = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": about}, "nbformat": 4, "nbformat_minor": 5}


def chapter_file(chapter: str, chapters: Path) -> Path:
    """Return the notebook of a chapter, such as "04".

    Raises:
        FileNotFoundError: it is not there, as where the package was installed without the course.
    """
    found = sorted(chapters.glob(f"{chapter}_*.ipynb"))
    if not found:
        wanted = _("expected the notebook of chapter {chapter} in {folder}: clone the course")
        raise FileNotFoundError(wanted.format(chapter=chapter, folder=chapters))
    return found[0]


def _title(slugs: Sequence[str], day: date) -> str:
    asked = "\n".join(f"- {find(slug).title}" for slug in slugs)
    licence = "https://creativecommons.org/licenses/by/4.0/"
    return _(
        "# Exercises\n\n{asked}\n\nRun the first cell. Fill in each stub, run its cell and the "
        "`check` below it, and read the report: it names the mistakes that it knows. Then save the "
        "notebook and hand it in. Nothing has to be installed but torch and NumPy, and nothing is "
        "sent anywhere.\n\nFrom [Transformers from the Bottom Up]({course}) {version}, handed out "
        "on {day}. The text is under [CC BY 4.0]({licence}); it was shortened."
    ).format(
        asked=asked, course=COURSE, version=bottomup.__version__, day=day.isoformat(),
        licence=licence,
    )  # fmt: skip


def _set_up(archive: bytes) -> Cell:
    """Return the cell that brings `check`: the archive is in it."""
    text = b64(archive)
    lines = "\n".join(text[start : start + WIDTH] for start in range(0, len(text), WIDTH))
    cell = _code(
        f"# @title {_('Run this cell first: it brings check')}\n"
        "import base64\n"
        "import math\n"
        "import sys\n"
        "import tempfile\n"
        "from pathlib import Path\n\n"
        "import torch\n"
        "import torch.nn.functional as F\n"
        "from torch import nn\n\n"
        f'CHECKS = """\n{lines}\n"""\n'
        'archive = Path(tempfile.mkdtemp(), "checks.zip")\n'
        "archive.write_bytes(base64.b64decode(CHECKS))\n"
        "sys.path.insert(0, str(archive))\n"
        "from checks import check\n"
    )
    cell["metadata"] = {"cellView": "form", "jupyter": {"source_hidden": True}}
    return cell


def of_chapter(exercises: Sequence[Exercise], path: Path) -> Iterator[Cell]:
    """Yield the cells of a chapter's exercises, each behind what its section says before it."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    checks = {at: line for at, cell in enumerate(cells) if (line := _asks(cell, "check"))}
    tests = {at for at, cell in enumerate(cells) if _asks(cell, "catch")}
    apart = {at - back for at in checks for back in (0, 1, 2)}  # statement, stub and check
    apart |= {at - back for at in tests for back in (0, 1)}
    wanted = {each.check_line: each for each in exercises}
    title = "".join(cells[0]["source"]).partition("\n")[0].removeprefix("# ")
    named = _(
        "From chapter {number}, *{title}*. Numbers of sections and equations are those of the "
        "chapter."
    )
    yield _markdown(named.format(number=exercises[0].chapter, title=title))
    equations = _equations(cells)
    given: set[str] = set()  # the numbers of equations that were carried
    said: list[Cell] = []  # since the section began, or since its last exercise
    for at, cell in enumerate(cells):
        if checks.get(at) in wanted:
            exercise = wanted[checks[at]]
            said.append(_markdown(_statement("".join(cells[at - 2]["source"]))))
            text = "\n".join(each["source"] for each in said)
            given |= {number for number, _equation in _numbered(text)}
            for number in dict.fromkeys(CITED.findall(text)):
                if number in equations and number not in given:
                    given.add(number)
                    yield _markdown(f"{_('Cited below:')}\n\n{equations[number]}")
            yield from said
            said = []
            yield _code(exercise.stub.rstrip())
            yield _code(exercise.check_line)
        elif at not in apart:
            said = _heard(said, cell, exercises)


def _asks(cell: Cell, name: str) -> str:
    """Return the line in which a cell calls `check` or `catch`, empty where it does not."""
    lines = "".join(cell["source"]).splitlines() if cell["cell_type"] == "code" else []
    return next((line for line in lines if line.startswith(f'{name}("')), "")


def _equations(cells: Sequence[Cell]) -> dict[str, str]:
    """Return the equations of a chapter by their numbers."""
    texts = ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return {number: equation for text in texts for number, equation in _numbered(text)}


def _numbered(text: str) -> Iterator[tuple[str, str]]:
    """Yield the equations in a text, each behind its number."""
    yield from ((found[1], found[0]) for found in EQUATION.finditer(text))


def _heard(said: list[Cell], cell: Cell, exercises: Sequence[Exercise]) -> list[Cell]:
    """Return what a section has said so far, with one cell more; a heading begins anew."""
    source = "".join(cell["source"])
    if cell["cell_type"] != "markdown":
        return [*said, *map(_markdown, _shown(cell, source, exercises))]
    before, *sections = re.split(r"^(?=#{1,2} )", source, flags=re.MULTILINE)
    if sections:
        return [_markdown(_without_course_links(sections[-1]))]
    return [*said, _markdown(_without_course_links(before))]


def _statement(source: str) -> str:
    """Return a statement without its hints and what comes after them, and without folds."""
    return _without_course_links(FOLDED.sub("", HINTS.split(source)[0]).rstrip())


def _without_course_links(text: str) -> str:
    """Leave of links to other pages of the course the words, and no comment of its authors."""
    text = re.sub(r"<!--.*?-->|[^\S\n]*\[※\]\([^)\n]*\)", "", text, flags=re.DOTALL)
    return re.sub(r"(?<!!)\[([^\]\n]+)\]\((?!https?:)[^)\n]*\)", r"\1", text)


def _shown(cell: Cell, source: str, exercises: Sequence[Exercise]) -> Iterator[str]:
    """Yield as Markdown what is seen of a code cell in the book: code, drawing, what it prints."""
    tags = set(cell["metadata"].get("tags", ()))
    shown = not tags & WITHOUT_CODE
    if shown and not any(gives_away(source, each.slug) for each in exercises):
        yield f"```python\n{source}\n```"
    for output in () if tags & WITHOUT_OUTPUT else cell["outputs"]:
        data = output.get("data", {})
        if drawings := re.findall("<svg.*?</svg>", _joined(data.get("text/html")), re.DOTALL):
            style = re.search("<style>.*?</style>", _joined(data["text/html"]), re.DOTALL)
            said = _joined(data.get("text/plain"))
            for drawing in drawings:
                yield _picture("svg+xml", _alone(drawing, style[0] if style else ""), said)
        elif "image/png" in data:
            yield _picture("png", base64.b64decode(_joined(data["image/png"])), "")
        elif "text/html" not in data and (
            text := _joined(output.get("text", data.get("text/plain")))
        ):
            yield f"```text\n{text.rstrip()}\n```"


def _picture(kind: str, content: bytes, said: str) -> str:
    return f'<img alt="{escape(said)}" src="data:image/{kind};base64,{b64(content)}">'


def _alone(drawing: str, style: str) -> bytes:
    """Return a drawing of the page as a picture of its own, on white."""
    colours = "<style>svg{--accent:#0072b2;--contrast:#d55e00;background:#fff;color:#000}</style>"
    opening, rest = drawing.split(">", 1)
    if "xmlns=" not in opening:
        opening += ' xmlns="http://www.w3.org/2000/svg"'
    return f"{opening}>{style}{colours}{rest}".encode()


def b64(content: bytes) -> str:
    """Return bytes as text."""
    return base64.b64encode(content).decode()


def _joined(text: Any) -> str:
    return "".join(text or "")


def _markdown(source: str) -> Cell:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def _code(source: str) -> Cell:
    return {
        "cell_type": "code", "metadata": {}, "source": source, "outputs": [],
        "execution_count": None,
    }  # fmt: skip
