"""A decimal in a chapter's prose has an origin: a record, a cell, a claim, or the list."""

from pathlib import Path

import nbformat
import pytest

from tests.structure.unbound import ORIGINS, unbound
from tools.notebooks.paths import all_chapters


@pytest.mark.parametrize("path", all_chapters(), ids=lambda path: path.stem)
def test_a_decimal_in_prose_has_an_origin(path: Path):
    assert list(unbound(path)) == []


@pytest.mark.parametrize("path", all_chapters(), ids=lambda path: path.stem)
def test_the_list_has_no_number_that_is_gone(path: Path):
    cells = nbformat.read(path, as_version=4).cells
    prose = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    listed = ORIGINS.get(path.stem.split("_")[0], {})
    assert [number for number in listed if number not in prose] == []


def chapter_of(tmp_path: Path, *cells: nbformat.NotebookNode) -> Path:
    path = tmp_path / "09_made_up.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=list(cells)), path)
    return path


@pytest.mark.parametrize(
    "prose, found",
    [
        ("It is right in 0.83 of the cases.", ["0.83"]),
        ("It is right in 0.83<!-- record: a/recorded b.mean .2f --> of the cases.", []),
        ("The rate is 0.02, and $x = 0.77$, `0.78`; see section 3.4 and claim 09.1.", []),
        ("### Exercise 9.1\n\nWhat is 0.83?", []),
    ],
)
def test_what_counts_as_an_origin(prose: str, found: list[str], tmp_path: Path):
    cells = nbformat.v4.new_markdown_cell(prose), nbformat.v4.new_code_cell("rate = 2e-2, .02")
    assert [number for number, _ in unbound(chapter_of(tmp_path, *cells))] == found
