from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from bottomup.explorables import pattern_painter
from tools.notebooks import refresh
from tools.notebooks.digest import FILE, store_digest
from tools.notebooks.execute import execute, write
from tools.notebooks.refresh import is_stale, refresh_all

pytestmark = pytest.mark.slow  # executes notebooks


@pytest.fixture
def stale(tmp_path: Path) -> Path:
    """A notebook whose outputs hold and whose digest is out of date."""
    path = tmp_path / "01_tiny.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell("1 + 1")]), path)
    execute(path)
    (tmp_path / FILE).write_text('{"01_tiny": "old"}', encoding="utf-8")
    return path


def test_a_digest_is_renewed_and_nothing_else_is_touched(stale: Path):
    before = stale.stat().st_mtime_ns, stale.read_bytes()
    assert is_stale(stale)
    assert refresh_all([stale]) == {}
    assert not is_stale(stale)
    assert (stale.stat().st_mtime_ns, stale.read_bytes()) == before


def test_shown_code_is_renewed_without_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(refresh, "compare", lambda path: "was run")
    cell = new_code_cell("show_source(masks.causal_mask)", metadata={"tags": ["source"]})
    notebook = new_notebook(cells=[cell])
    path = tmp_path / "01_tiny.ipynb"
    write(notebook, path)
    store_digest(path, notebook)
    assert is_stale(path)
    assert refresh_all([path]) == {}
    assert not is_stale(path)
    assert "def causal_mask(" in path.read_text("utf-8")


def test_scripts_of_figures_are_renewed_without_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(refresh, "compare", lambda path: "was run")
    html = pattern_painter()._repr_html_()
    old = html.replace("attachShadow", "createShadowRoot")
    cell = new_code_cell("1", outputs=[new_output("execute_result", {"text/html": old})])
    notebook = new_notebook(cells=[cell])
    path = tmp_path / "01_tiny.ipynb"
    write(notebook, path)
    store_digest(path, notebook)
    assert is_stale(path)
    assert refresh_all([path]) == {}
    assert not is_stale(path)
    assert nbformat.read(path, as_version=4).cells[0].outputs[0].data["text/html"] == html


def test_a_notebook_whose_output_differs_stays_as_it_is(stale: Path):
    text = stale.read_text("utf-8")
    assert text.count('"2"') == 1
    stale.write_text(text.replace('"2"', '"3"'), "utf-8")
    before = stale.read_bytes()
    differences = refresh_all([stale])
    assert list(differences) == [stale]
    assert "Traceback" in differences[stale] or "mismatch" in differences[stale]
    assert stale.read_bytes() == before
