"""Every stored chapter keeps the rules of `tools.notebooks.check`; nothing is run here."""

import re
from pathlib import Path

import nbformat
import pytest

from tools.notebooks.check import check
from tools.notebooks.paths import all_chapters


@pytest.mark.parametrize("path", all_chapters(), ids=lambda path: path.stem)
def test_a_stored_chapter_keeps_the_rules(path: Path):
    assert check(path) == []


@pytest.mark.parametrize("path", all_chapters(), ids=lambda path: path.stem)
def test_a_chapter_has_a_figure_that_computes_what_is_asked(path: Path):
    cells = nbformat.read(path, as_version=4).cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    live = r"(knobs|translator_live|head_dictionary)\("
    computed = [cell for cell in code if re.search(live, cell.source)]
    figures = [output.data["text/html"] for cell in computed for output in cell.outputs]
    made = re.compile('data-explorable="knobs-|data-live="(translator|dictionary)"')
    assert figures and all(made.search(html) for html in figures)
