"""Each exercise beside the notebook of its chapter.

What the cells made of its text hold is for `tests/tools/test_exercises.py`.
"""

import re

import nbformat
import pytest

from bottomup.exercises import Exercise, catalog
from tools.notebooks.paths import ROOT


def problems(exercise: Exercise, notebook: nbformat.NotebookNode) -> list[str]:
    """Say which sections are named in vain, and whether a cell calls what the stub hides."""
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    headings = re.findall(r"^#+ (?:\d+\. )?(.+)$", prose, re.MULTILINE)
    sections = dict.fromkeys(mistake.see for mistake in exercise.mistakes)
    found = [f"no heading {section!r}" for section in sections if section not in headings]
    rest = "\n".join(cell for cell in code if exercise.stub.rstrip() not in cell)
    if re.search(rf"(?<![.\w]){exercise.answer_name}\(", rest):
        found.append(f"another function is called {exercise.answer_name}")
    return found


@pytest.mark.parametrize("exercise", catalog().values(), ids=lambda each: each.slug)
def test_the_chapter_holds_the_sections_and_calls_nothing_that_the_stub_hides(exercise: Exercise):
    notebooks = sorted((ROOT / "chapters").glob(f"{exercise.chapter}_*.ipynb"))
    assert len(notebooks) == 1, f"expected one notebook of chapter {exercise.chapter}"
    assert problems(exercise, nbformat.read(notebooks[0], as_version=4)) == []


def test_what_is_wrong_with_a_notebook_is_seen():
    exercise, v4 = catalog()["masked-softmax"], nbformat.v4
    heading = v4.new_markdown_cell("## 6. Masked softmax")
    stub, line = v4.new_code_cell(exercise.stub), v4.new_code_cell(exercise.check_line)
    hidden = v4.new_code_cell("weights = masked_softmax(scores, mask)")
    qualified = v4.new_code_cell("weights = attention.masked_softmax(scores, mask)")
    assert problems(exercise, v4.new_notebook(cells=[heading, stub, line, qualified])) == []
    assert problems(exercise, v4.new_notebook(cells=[heading, stub, line, hidden])) == [
        "another function is called masked_softmax"
    ]
    assert problems(exercise, v4.new_notebook(cells=[stub])) == ["no heading 'Masked softmax'"]
