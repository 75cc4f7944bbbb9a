from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output

from bottomup.explorables import Explorable, alignment_explorer
from tests.explorables.demo import CAT, CURVES, HOSTILE
from tools.notebooks.check import check
from tools.notebooks.explorables import figure, outdated, renew
from tools.notebooks.paths import all_chapters

FIGURE = alignment_explorer([CAT, HOSTILE], CURVES)
HTML = FIGURE._repr_html_()


def notebook(html: str) -> NotebookNode:
    shown = {"text/html": html, "text/plain": repr(FIGURE)}
    cell = new_code_cell("figure()", outputs=[new_output("execute_result", shown)])
    return new_notebook(cells=[new_code_cell("1"), cell])


@pytest.mark.parametrize("path", all_chapters(), ids=lambda path: path.stem)
def test_figures_of_a_chapter_have_the_script_and_the_style_of_the_package(path: Path):
    assert outdated(nbformat.read(path, as_version=4)) == []


def test_a_stored_figure_is_read_with_its_data_and_its_table():
    made = figure(HTML)
    assert isinstance(made, Explorable)
    assert (made.name, made.id, made.fallback) == ("alignments", FIGURE.id, FIGURE.fallback)
    assert made.data == FIGURE.data


@pytest.mark.parametrize(
    "now, before",
    [
        ("element.attachShadow(", "element.createShadowRoot("),
        (".bottomup-explorable {", ".explorable {"),
        (".choices {", ".choice {"),
        ('modules["shared/tables.js"]', 'modules["tables.js"]'),
    ],
)
def test_script_and_style_are_renewed_and_all_else_stays(now: str, before: str):
    html = HTML.replace(now, before)
    book = notebook(html)
    assert outdated(book) == ([FIGURE.id] if html != HTML else [])
    renew(book)
    data = book.cells[1].outputs[0].data
    assert data == {"text/html": HTML, "text/plain": repr(FIGURE)}
    assert outdated(book) == []


def test_what_is_no_figure_is_refused():
    with pytest.raises(ValueError, match="expected an interactive figure, got '<div class="):
        outdated(notebook('<div class="bottomup-explorable">'))


def test_the_check_of_a_chapter_says_so(tmp_path: Path):
    path = tmp_path / "01_tiny.ipynb"
    nbformat.write(notebook(HTML.replace("attachShadow", "createShadowRoot")), path)
    assert [problem for problem in check(path) if f"{FIGURE.id}: script or style" in problem]
