from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tools.notebooks.digest import KEY, stored_digest
from tools.notebooks.execute import execute, write
from tools.notebooks.refresh import is_stale, refresh_all

pytestmark = pytest.mark.slow  # executes notebooks


@pytest.fixture
def stale(tmp_path: Path) -> Path:
    """A notebook whose outputs hold and whose digest is out of date."""
    path = tmp_path / "01_tiny.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell("1 + 1")]), path)
    execute(path)
    notebook = nbformat.read(path, as_version=4)
    notebook.metadata[KEY]["digest"] = "old"
    write(notebook, path)
    return path


def test_a_digest_is_renewed_and_nothing_else_is_touched(stale: Path):
    before = stale.read_text("utf-8")
    assert is_stale(stale)
    assert refresh_all([stale]) == {}
    assert not is_stale(stale)
    digest = stored_digest(nbformat.read(stale, as_version=4))
    assert stale.read_text("utf-8") == before.replace('"old"', f'"{digest}"')


def test_a_notebook_whose_output_differs_stays_as_it_is(stale: Path):
    text = stale.read_text("utf-8")
    assert text.count('"2"') == 1
    stale.write_text(text.replace('"2"', '"3"'), "utf-8")
    before = stale.read_bytes()
    differences = refresh_all([stale])
    assert list(differences) == [stale]
    assert "Traceback" in differences[stale] or "mismatch" in differences[stale]
    assert stale.read_bytes() == before
