import gc
from pathlib import Path

import ipywidgets
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tools.notebooks.execute import NotebookError, execute
from tools.notebooks.sliders import choices, drive, source

pytestmark = pytest.mark.slow  # starts kernels


@pytest.fixture
def no_other_sliders():
    gc.collect()
    yield
    gc.collect()


@pytest.mark.parametrize(
    "widget, values",
    [
        (ipywidgets.IntSlider(1, min=1, max=5), [1, 5]),
        (ipywidgets.FloatSlider(0.5, min=0, max=4), [0, 4]),
        (ipywidgets.FloatLogSlider(1.0, min=-2, max=1), [0.01, 10.0]),
        (ipywidgets.Dropdown(options=["a", "b"]), ["a", "b"]),
        (ipywidgets.Dropdown(options=[("one", 1), ("two", 2)]), [1, 2]),
        (ipywidgets.Checkbox(False), [False, True]),
        (ipywidgets.Text("word"), ["word"]),
        (ipywidgets.fixed(7), [7]),
    ],
)
def test_a_widget_is_tried_at_its_ends_or_options(widget: ipywidgets.Widget, values: list):
    assert choices(widget) == values


@pytest.mark.usefixtures("no_other_sliders")
def test_every_combination_is_called():
    seen = []
    box = ipywidgets.interactive(lambda x, on: seen.append((x, on)), x=(0, 3), on=False)
    seen.clear()
    drive()
    assert seen == [(0, False), (0, True), (3, False), (3, True)]
    assert box.result is None


@pytest.mark.usefixtures("no_other_sliders")
def test_a_function_that_fails_at_an_end_is_named_with_its_arguments():
    def inverse(x):
        return 1 / x

    box = ipywidgets.interactive(inverse, x=(0, 3))
    with pytest.raises(RuntimeError, match=r"^inverse fails after the last cell, at \{'x': 0\}"):
        drive()
    assert box.result == 1.0


def notebook_with(path: Path, *sources: str) -> Path:
    nbformat.write(new_notebook(cells=[new_code_cell(source) for source in sources]), path)
    return path


LOOKS_UP = (
    "from ipywidgets import interact\nwords = ['dog', 'cat']\n\n\n"
    "def show(place=0):\n    print(words[place])\n\n\n_ = interact(show, place=(0, 1))"
)


@pytest.mark.slow
def test_a_name_that_a_later_cell_binds_again_is_noticed(tmp_path: Path):
    path = notebook_with(tmp_path / "01_tiny.ipynb", LOOKS_UP, "words = ['owl']")
    with pytest.raises(NotebookError, match=r"show fails after the last cell, at \{'place': 1\}"):
        execute(path)


@pytest.mark.slow
def test_a_notebook_whose_sliders_work_is_stored_without_the_cell_that_moves_them(tmp_path: Path):
    path = notebook_with(tmp_path / "01_tiny.ipynb", LOOKS_UP, "others = ['owl']")
    seen = []
    execute(path, on_cell=lambda: seen.append("cell"))
    cells = nbformat.read(path, as_version=4).cells
    assert [cell.execution_count for cell in cells] == [1, 2]
    assert len(seen) == 2
    assert source() not in path.read_text()
