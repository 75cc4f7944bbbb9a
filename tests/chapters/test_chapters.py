"""Every stored chapter keeps the rules of `tools.notebooks.check`; nothing is run here."""

from pathlib import Path

import nbformat
import pytest

from tools.notebooks.check import check
from tools.notebooks.paths import all_chapters


def test_there_is_a_first_chapter():
    assert "01_attention" in [path.stem for path in all_chapters()]


@pytest.mark.parametrize("path", all_chapters(), ids=lambda path: path.stem)
def test_a_stored_chapter_keeps_the_rules(path: Path):
    assert check(path) == []


@pytest.mark.parametrize("path", all_chapters(), ids=lambda path: path.stem)
def test_a_chapter_has_a_function_whose_knobs_are_turned(path: Path):
    cells = nbformat.read(path, as_version=4).cells
    turned = [cell for cell in cells if cell.cell_type == "code" and "knobs(" in cell.source]
    figures = [output.data["text/html"] for cell in turned for output in cell.outputs]
    assert figures and all('data-explorable="knobs-' in html for html in figures)
