"""Each exercise beside the notebook of its chapter.

What the cells made of its text hold is for `tests/tools/test_exercises.py`.
"""

import re

import nbformat
import pytest

from bottomup.exercises import Exercise, catalog
from tools.notebooks.paths import ROOT


@pytest.mark.parametrize("exercise", catalog().values(), ids=lambda each: each.slug)
def test_the_chapter_holds_the_sections_and_calls_nothing_that_the_stub_hides(exercise: Exercise):
    (path,) = (ROOT / "chapters").glob(f"{exercise.chapter}_*.ipynb")
    cells = nbformat.read(path, as_version=4).cells
    prose = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    headings = re.findall(r"^#+ (?:\d+\. )?(.+)$", prose, re.MULTILINE)
    assert {mistake.see for mistake in exercise.mistakes} <= set(headings)
    stub = exercise.stub.rstrip()
    code = [cell.source for cell in cells if cell.cell_type == "code" and stub not in cell.source]
    assert not re.search(rf"(?<![.\w]){exercise.answer_name}\(", "\n".join(code))
