from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tests.tools.made_up import write_files
from tools.repository import current_address, replace_address

OLD = "https://github.com/old-owner/course"
NEW = "https://github.com/you/fork"


def test_every_copy_is_replaced(tmp_path: Path):
    readme = f"[tests]({OLD}/actions) and {OLD}-other\n"
    config = f"# kept\nrepository:\n  url: {OLD}\n"
    write_files(tmp_path, {"README.md": readme, "_config.yml": config, "chapters/none.md": OLD})
    path = tmp_path / "chapters" / "01_tiny.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell(f"# {OLD}.git")]), path)
    changed = {found.name for found in replace_address(NEW, tmp_path)}
    assert changed == {"_config.yml", "README.md", "01_tiny.ipynb"}
    assert current_address(tmp_path) == NEW
    text = (tmp_path / "README.md").read_text("utf-8")
    assert text == f"[tests]({NEW}/actions) and {OLD}-other\n"
    assert nbformat.read(path, as_version=4).cells[0].source == f"# {NEW}.git"


@pytest.mark.parametrize("address", ["", "fork", "https://github.com/you", "git@host:you/fork"])
def test_what_is_no_address_is_refused(address: str):
    with pytest.raises(ValueError, match="expected an address"):
        replace_address(address)
