"""What a stored notebook shows without a run: code, and the scripts of figures, as they are now."""

from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_notebook, new_output

from bottomup.explorables import pattern_painter
from tools.notebooks.execute import write
from tools.notebooks.renew import renew


def test_shown_code_is_renewed_once(tmp_path: Path):
    cell = new_code_cell("show_source(masks.causal_mask)", metadata={"tags": ["source"]})
    path = tmp_path / "01_tiny.ipynb"
    write(new_notebook(cells=[cell]), path)
    assert renew(path)
    assert "def causal_mask(" in path.read_text("utf-8")
    assert not renew(path)


def test_the_script_of_a_figure_is_renewed_and_its_data_stay(tmp_path: Path):
    html = pattern_painter()._repr_html_()
    old = html.replace("attachShadow", "createShadowRoot")
    cell = new_code_cell("1", outputs=[new_output("execute_result", {"text/html": old})])
    path = tmp_path / "01_tiny.ipynb"
    write(new_notebook(cells=[cell]), path)
    assert renew(path)
    assert nbformat.read(path, as_version=4).cells[0].outputs[0].data["text/html"] == html
    assert not renew(path)
