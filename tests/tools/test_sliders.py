import gc
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from bottomup.explorables import knobs
from tools.notebooks.execute import NotebookError, execute
from tools.notebooks.normalise import WIDGET
from tools.notebooks.sliders import drive, source


@pytest.fixture
def no_other_knobs():
    gc.collect()
    yield
    gc.collect()


@pytest.mark.usefixtures("no_other_knobs")
def test_every_setting_is_called_again():
    called = []

    def total(x, y):
        called.append((x, y))
        return {"sum": x + y}

    made = knobs("sums", total, x=[1, 2], y=[3, 4])
    first = called.copy()
    drive()
    assert called == first * 2 == [(1, 3), (1, 4), (2, 3), (2, 4)] * 2
    assert made.recorded


@pytest.mark.usefixtures("no_other_knobs")
def test_a_function_that_fails_now_is_named():
    words = ["dog", "cat"]
    made = knobs("words", lambda place: {words[place]: 1}, place=[0, 1])
    words.pop()
    with pytest.raises(RuntimeError, match="<lambda> fails after the last cell: list index"):
        drive()
    assert made.recorded


def notebook_with(path: Path, *sources: str) -> Path:
    nbformat.write(new_notebook(cells=[new_code_cell(source) for source in sources]), path)
    return path


LOOKS_UP = (
    "from bottomup.explorables import knobs\nfactor = 2\n\n\n"
    "def times(x=0):\n    return {'product': factor * x}\n\n\nknobs('title', times, x=[0, 1])"
)


@pytest.mark.slow
def test_a_name_that_a_later_cell_binds_again_is_noticed(tmp_path: Path):
    path = notebook_with(tmp_path / "01_tiny.ipynb", LOOKS_UP, "factor = 3")
    with pytest.raises(NotebookError, match="times gives other numbers after the last cell"):
        execute(path)


@pytest.mark.slow
def test_a_notebook_keeps_the_figure_and_neither_widget_nor_the_cell_that_moves_it(tmp_path: Path):
    path = notebook_with(tmp_path / "01_tiny.ipynb", LOOKS_UP, "others = ['owl']")
    seen = []
    execute(path, on_cell=lambda: seen.append("cell"))
    cells = nbformat.read(path, as_version=4).cells
    assert [cell.execution_count for cell in cells] == [1, 2]
    assert len(seen) == 2
    assert source() not in path.read_text(encoding="utf-8") and WIDGET not in path.read_text(
        encoding="utf-8"
    )
    (output,) = cells[0].outputs
    assert set(output.data) == {"text/html", "text/plain"}
    assert 'data-explorable="knobs-' in output.data["text/html"]
