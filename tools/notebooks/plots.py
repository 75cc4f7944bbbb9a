"""Plots of a chapter as drawings whose words are words: they can be told in another language.

`tools.notebooks.execute` stores them while a chapter runs in the language of marks: `FOLDER` has a
drawing for each cell with a plot. The English page shows the picture that the notebook holds.
"""

import re
from collections.abc import Mapping
from html import escape, unescape
from pathlib import Path

from nbformat import NotebookNode

from tools.notebooks.marks import HIDDEN
from tools.notebooks.said import FOLDER

PNG, SVG = "image/png", "image/svg+xml"
WORDS = re.compile(r"(<text\b[^>]*>)([^<]*[^\W\d_][^<]*)(?=</text>)")  # in one run, with a letter
NOT_SHOWN = re.compile(r"<\?xml.*?\?>\s*|<!DOCTYPE.*?>\s*|\s*<metadata>.*?</metadata>", re.DOTALL)
SIZE = re.compile(r'(?<= )(width|height)="([\d.]+)pt"')
PIXELS = 110 / 72  # a point, at the resolution of `bottomup.plotting.use_style`
STYLE = '<style type="text/css">'
# A picture cannot load a font: those that have Hangul on the systems that readers use.
FONTS = (
    "text, tspan {font-family: 'DejaVu Sans', 'Noto Sans KR', 'Noto Sans CJK KR', "
    "'Apple SD Gothic Neo', 'Malgun Gothic', sans-serif !important}"
)


def folder(chapter: Path) -> Path:
    """Return where the plots of a chapter lie."""
    return FOLDER / chapter.stem


def of_notebook(notebook: NotebookNode) -> dict[str, str]:
    """Return the plots of a notebook that ran in the language of marks, by cell."""
    return {
        cell.id: drawing(output.data[SVG])
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if SVG in output.get("data", {})
    }


def drawing(svg: str) -> str:
    """Return a drawing as it is stored: in pixels, with what is shown and no more."""
    svg = HIDDEN.sub("", NOT_SHOWN.sub("", svg))
    return SIZE.sub(lambda found: f'{found[1]}="{float(found[2]) * PIXELS:.0f}"', svg, count=2)


def store(chapter: Path, plots: Mapping[str, str]) -> None:
    """Store the plots of a chapter in the place of those that it had."""
    goal = folder(chapter)
    for old in goal.glob("*.svg"):
        old.unlink()
    for cell, svg in plots.items():
        goal.mkdir(exist_ok=True)
        goal.joinpath(f"{cell}.svg").write_text(svg, "utf-8")


def stored(chapter: Path) -> dict[str, str]:
    """Return the stored plots of a chapter, by cell."""
    return {path.stem: path.read_text("utf-8") for path in sorted(folder(chapter).glob("*.svg"))}


def labels(svg: str) -> list[str]:
    """Return the words of a plot, a label each."""
    return [unescape(found[2]) for found in WORDS.finditer(svg)]


def told(svg: str, translations: Mapping[str, str]) -> str:
    """Return a plot in another language; a label that is not translated stays."""

    def tell(found: re.Match[str]) -> str:
        label = unescape(found[2])
        return found[1] + escape(translations.get(label, label), quote=False)

    return WORDS.sub(tell, svg).replace(STYLE, STYLE + FONTS, 1)


def replace(notebook: NotebookNode, chapter: Path, translations: Mapping[str, str]) -> None:
    """Show the plots of a chapter in another language, in place of its pictures."""
    plots = stored(chapter)
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if PNG in output.get("data", {}) and cell.id in plots:
                del output.data[PNG]
                output.data[SVG] = told(plots[cell.id], translations)
