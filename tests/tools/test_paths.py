from pathlib import Path

import pytest

from tools.notebooks.paths import find_notebooks


def test_chapters_are_found_by_number_or_path(tmp_path: Path):
    with pytest.raises(FileNotFoundError, match="no notebooks in"):
        find_notebooks([], tmp_path)
    paths = [tmp_path / f"{name}.ipynb" for name in ("01_attention", "01b_local", "02_self")]
    for path in paths:
        path.touch()
    assert find_notebooks([], tmp_path) == paths
    assert find_notebooks(["01b", "01", str(paths[2])], tmp_path) == [paths[1], paths[0], paths[2]]
    with pytest.raises(FileNotFoundError, match="no notebook '03'; chapters here: 01, 01b, 02"):
        find_notebooks(["03"], tmp_path)
