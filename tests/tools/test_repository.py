from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tools.notebooks.digest import notebook_digest, store_digest, stored_digest
from tools.repository import current_address, replace_address

OLD = "https://github.com/old-owner/course"
NEW = "https://github.com/you/fork"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "_config.yml").write_text(f"# kept\nrepository:\n  url: {OLD}\n", encoding="utf-8")
    (tmp_path / "README.md").write_text(
        f"[tests]({OLD}/actions) and {OLD}-other\n", encoding="utf-8"
    )
    (tmp_path / "chapters").mkdir()
    notebook = new_notebook(cells=[new_code_cell(f"# {OLD}.git")])
    path = tmp_path / "chapters" / "01_tiny.ipynb"
    nbformat.write(notebook, path)
    store_digest(path, notebook)
    return tmp_path


def test_every_copy_is_replaced_and_nothing_else(root: Path):
    changed = {path.name for path in replace_address(NEW, root)}
    assert changed == {"_config.yml", "README.md", "01_tiny.ipynb"}
    assert current_address(root) == NEW
    assert (root / "README.md").read_text(
        encoding="utf-8"
    ) == f"[tests]({NEW}/actions) and {OLD}-other\n"
    assert (root / "_config.yml").read_text(encoding="utf-8").startswith("# kept\n")


def test_a_digest_that_was_right_stays_right(root: Path):
    replace_address(NEW, root)
    path = root / "chapters" / "01_tiny.ipynb"
    notebook = nbformat.read(path, as_version=4)
    assert notebook.cells[0].source == f"# {NEW}.git"
    assert stored_digest(path) == notebook_digest(notebook)


def test_a_digest_that_was_wrong_stays_wrong(root: Path):
    path = root / "chapters" / "01_tiny.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[0].source += "\nx = 1"
    nbformat.write(notebook, path)
    replace_address(NEW, root)
    notebook = nbformat.read(path, as_version=4)
    assert stored_digest(path) != notebook_digest(notebook)


@pytest.mark.parametrize("address", ["", "fork", "https://github.com/you", "git@host:you/fork"])
def test_what_is_no_address_is_refused(root: Path, address: str):
    with pytest.raises(ValueError, match="expected an address"):
        replace_address(address, root)
