from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tests.tools.made_up import write_files
from tools.notebooks.digest import notebook_digest, store_digest, stored_digest
from tools.repository import current_address, replace_address

OLD = "https://github.com/old-owner/course"
NEW = "https://github.com/you/fork"


@pytest.mark.parametrize("is_fresh", [True, False])
def test_every_copy_is_replaced_and_a_digest_that_was_right_stays_right(
    tmp_path: Path, is_fresh: bool
):
    readme = f"[tests]({OLD}/actions) and {OLD}-other\n"
    config = f"# kept\nrepository:\n  url: {OLD}\n"
    write_files(tmp_path, {"README.md": readme, "_config.yml": config, "chapters/none.md": OLD})
    path = tmp_path / "chapters" / "01_tiny.ipynb"
    notebook = new_notebook(cells=[new_code_cell(f"# {OLD}.git")])
    store_digest(path, notebook)
    notebook.cells[0].source += "" if is_fresh else "\nx = 1"
    nbformat.write(notebook, path)
    changed = {found.name for found in replace_address(NEW, tmp_path)}
    assert changed == {"_config.yml", "README.md", "01_tiny.ipynb"}
    assert current_address(tmp_path) == NEW
    text = (tmp_path / "README.md").read_text("utf-8")
    assert text == f"[tests]({NEW}/actions) and {OLD}-other\n"
    notebook = nbformat.read(path, as_version=4)
    assert notebook.cells[0].source.startswith(f"# {NEW}.git")
    assert (stored_digest(path) == notebook_digest(notebook)) == is_fresh


@pytest.mark.parametrize("address", ["", "fork", "https://github.com/you", "git@host:you/fork"])
def test_what_is_no_address_is_refused(address: str):
    with pytest.raises(ValueError, match="expected an address"):
        replace_address(address)
