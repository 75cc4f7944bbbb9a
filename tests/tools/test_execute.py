import json
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools.notebooks.__main__ import main
from tools.notebooks.digest import notebook_digest, stored_digest
from tools.notebooks.execute import NotebookError, execute

INTERACT = """
import ipywidgets
print("before")
ipywidgets.interact(lambda x: print(x), x=(0, 3));
"""
CODE = ["x = 1 + 1", "print('a')\nprint('b')\nx", INTERACT, "import os; os.environ['TQDM_DISABLE']"]


@pytest.fixture
def write_notebook(tmp_path: Path):
    def write(*sources: str, name: str = "01_tiny.ipynb") -> Path:
        cells = [new_markdown_cell("Prose."), *(new_code_cell(source) for source in sources)]
        path = tmp_path / name
        nbformat.write(new_notebook(cells=cells, metadata={"colab": {"name": "x"}}), path)
        return path

    return write


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """A notebook executed twice: the path, and the file's bytes after the first time."""
    path = tmp_path_factory.mktemp("execute") / "01_tiny.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell(source) for source in CODE]), path)
    execute(path)
    first = path.read_bytes()
    execute(path)
    return path, first


def test_executing_twice_gives_the_same_bytes(executed: tuple[Path, bytes]):
    path, first = executed
    assert path.read_bytes() == first


def test_counts_and_outputs_are_stored(executed: tuple[Path, bytes]):
    cells = nbformat.read(executed[0], as_version=4).cells
    assert [cell.execution_count for cell in cells] == [1, 2, 3, 4]
    stream, result = cells[1].outputs
    assert stream.text == "a\nb\n"
    assert result.data["text/plain"] == "2"


def test_a_cell_with_interact_survives_without_its_widget(executed: tuple[Path, bytes]):
    notebook = nbformat.read(executed[0], as_version=4)
    assert [output.output_type for output in notebook.cells[2].outputs] == ["stream"]
    assert "widget" not in json.dumps(notebook.metadata)
    assert "widget-view" not in executed[0].read_text()


def test_progress_bars_are_off_in_the_kernel(executed: tuple[Path, bytes]):
    cells = nbformat.read(executed[0], as_version=4).cells
    assert cells[3].outputs[0].data["text/plain"] == "'1'"


def test_the_file_says_nothing_about_the_machine(executed: tuple[Path, bytes]):
    notebook = nbformat.read(executed[0], as_version=4)
    assert set(notebook.metadata) == {"bottomup", "kernelspec", "language_info"}
    assert "version" not in notebook.metadata.language_info
    assert all(not cell.metadata for cell in notebook.cells)


def test_the_digest_is_stored(executed: tuple[Path, bytes]):
    notebook = nbformat.read(executed[0], as_version=4)
    assert stored_digest(notebook) == notebook_digest(notebook)


def test_a_failing_cell_leaves_the_file_as_it_was(write_notebook):
    path = write_notebook("x = 1", "1 / 0")
    before = path.read_bytes()
    with pytest.raises(NotebookError, match=r"01_tiny\.ipynb: a cell failed[\s\S]*ZeroDivision"):
        execute(path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_the_command_line_fails_when_one_of_several_notebooks_fails(write_notebook, capfd):
    good = write_notebook("'done'", name="01_good.ipynb")
    bad = write_notebook("undefined", name="02_bad.ipynb")
    assert main(["execute", str(good), str(bad)]) == 1
    assert "NameError" in capfd.readouterr().err
    assert nbformat.read(good, as_version=4).cells[1].outputs[0].data["text/plain"] == "'done'"


def test_the_command_line_names_the_chapters_it_knows(capsys):
    assert main(["digest", "99"]) == 2
    assert "no notebook '99'" in capsys.readouterr().err
