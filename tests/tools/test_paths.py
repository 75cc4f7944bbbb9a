from pathlib import Path

import pytest

from tools.notebooks.paths import find_notebooks


@pytest.fixture
def chapters(tmp_path: Path) -> Path:
    for name in ("01_attention", "01b_local", "02_self"):
        (tmp_path / f"{name}.ipynb").touch()
    return tmp_path


def test_no_name_means_every_chapter_in_order(chapters: Path):
    names = [path.stem for path in find_notebooks([], chapters)]
    assert names == ["01_attention", "01b_local", "02_self"]


def test_a_number_means_one_notebook(chapters: Path):
    assert [path.stem for path in find_notebooks(["01b", "01"], chapters)] == [
        "01b_local",
        "01_attention",
    ]


def test_a_path_means_itself(chapters: Path):
    path = chapters / "02_self.ipynb"
    assert find_notebooks([str(path)], chapters) == [path]


def test_a_name_without_a_notebook_is_refused(chapters: Path):
    with pytest.raises(FileNotFoundError, match="no notebook '03'; chapters here: 01, 01b, 02"):
        find_notebooks(["03"], chapters)


def test_an_empty_folder_is_refused(tmp_path: Path):
    with pytest.raises(FileNotFoundError, match="no notebooks in"):
        find_notebooks([], tmp_path)
