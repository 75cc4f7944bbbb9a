from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError, DeadKernelError
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools.notebooks import client
from tools.notebooks import execute as module
from tools.notebooks.__main__ import main
from tools.notebooks.environment import kernel_environment
from tools.notebooks.execute import NotebookError, execute
from tools.notebooks.fingerprint import NAME, is_executed

WIDGET = """
import ipywidgets
print("before")
ipywidgets.IntSlider()
"""
CODE = ["x = 1 + 1", "print('a')\nprint('b')\nx", WIDGET, "import os; os.environ['TQDM_DISABLE']"]


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


@pytest.mark.slow
def test_executing_twice_gives_the_same_bytes(executed: tuple[Path, bytes]):
    path, first = executed
    assert path.read_bytes() == first


@pytest.mark.slow
def test_a_file_that_changes_meanwhile_is_not_overwritten(write_notebook):
    path = write_notebook("1 + 1")

    def edited() -> None:
        path.write_bytes(path.read_bytes() + b"\n")

    with pytest.raises(NotebookError, match="changed while it ran"):
        execute(path, on_cell=edited)
    assert path.read_bytes().endswith(b"\n\n")


@pytest.mark.slow
def test_what_is_stored_of_a_run(executed: tuple[Path, bytes]):
    notebook = nbformat.read(executed[0], as_version=4)
    cells = notebook.cells
    assert [cell.execution_count for cell in cells] == [1, 2, 3, 4]
    stream, result = cells[1].outputs
    assert (stream.text, result.data["text/plain"]) == ("a\nb\n", "2")
    assert [output.output_type for output in cells[2].outputs] == ["stream"]  # and no widget
    assert "widget-view" not in executed[0].read_text(encoding="utf-8")
    assert cells[3].outputs[0].data["text/plain"] == "'1'"  # no bars of progress
    assert set(notebook.metadata) == {NAME, "kernelspec", "language_info"}  # nothing on the machine
    assert "version" not in notebook.metadata.language_info
    assert all(not cell.metadata for cell in cells)
    assert is_executed(notebook)


@pytest.mark.slow
def test_a_failing_cell_leaves_the_file_as_it_was(write_notebook):
    path = write_notebook("x = 1", "1 / 0")
    before = path.read_bytes()
    with pytest.raises(NotebookError, match=r"01_tiny\.ipynb: a cell failed[\s\S]*ZeroDivision"):
        execute(path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.slow
def test_the_command_line_fails_when_one_of_several_notebooks_fails(write_notebook, capfd):
    good = write_notebook("'done'", name="01_good.ipynb")
    bad = write_notebook("undefined", name="02_bad.ipynb")
    assert main(["execute", str(good), str(bad)]) == 1
    assert "NameError" in capfd.readouterr().err
    assert nbformat.read(good, as_version=4).cells[1].outputs[0].data["text/plain"] == "'done'"


def test_the_command_line_names_the_chapters_it_knows(capsys):
    assert main(["check", "99"]) == 2
    assert "no notebook '99'" in capsys.readouterr().err


class FakeKernel:
    """Stands in for `run`: reports the first cell, then fails as often as it is told."""

    def __init__(self, *failures: Exception):
        self.failures = list(failures)
        self.runs = 0

    def __call__(
        self, notebook: NotebookNode, folder: Path, report: Callable[..., None]
    ) -> NotebookNode:
        self.runs += 1
        report(cell=notebook.cells[1], cell_index=1)
        if self.failures:
            raise self.failures.pop(0)
        notebook.cells[1].execution_count = 1
        return notebook


@pytest.mark.parametrize("silence", [TimeoutError("late"), DeadKernelError("died")])
def test_a_silent_kernel_is_replaced_once(write_notebook, monkeypatch, silence: Exception):
    kernel, seen = FakeKernel(silence), []
    monkeypatch.setattr(module, "run", kernel)
    path = write_notebook("x = 1")
    execute(path, on_cell=lambda: seen.append("cell"))
    assert kernel.runs == 2
    assert seen == ["cell"]
    assert nbformat.read(path, as_version=4).cells[1].execution_count == 1


def test_a_cell_that_fails_is_not_tried_again(write_notebook, monkeypatch):
    kernel = FakeKernel(CellExecutionError("traceback", "E", "value"))
    monkeypatch.setattr(module, "run", kernel)
    with pytest.raises(NotebookError, match="a cell failed"):
        execute(write_notebook("x = 1"))
    assert kernel.runs == 1


def losing(channel: str, kind: str) -> Callable[..., Any]:
    """Start a kernel's client that, the first time it is called, loses one kind of message."""
    start, losses = client.Client.async_start_new_kernel_client, [True]

    async def start_losing(self: client.Client) -> Any:
        kernel_client = await start(self)
        if losses:
            losses.pop()
            receiver = getattr(kernel_client, channel)
            get_message = receiver.get_msg

            async def get_msg(**options: Any) -> dict[str, Any]:
                while True:
                    message = await get_message(**options)
                    if kind not in (message["msg_type"], message["content"].get("execution_state")):
                        return message

            receiver.get_msg = get_msg
        return kernel_client

    return start_losing


@pytest.mark.slow
@pytest.mark.parametrize(
    "channel, kind",
    [
        ("shell_channel", "execute_reply"),
        ("iopub_channel", "idle"),
    ],
)
def test_a_lost_message_costs_a_new_kernel_and_nothing_else(
    write_notebook, monkeypatch, channel: str, kind: str
):
    kernels, run = [], module.run
    monkeypatch.setattr(client, "MESSAGE_TIMEOUT", 4)
    monkeypatch.setattr(module, "run", lambda *given: kernels.append(1) or run(*given))
    monkeypatch.setattr(client.Client, "async_start_new_kernel_client", losing(channel, kind))
    path = write_notebook("print('a')", "1 + 1")
    execute(path)
    assert len(kernels) == 2
    outputs = [cell.outputs for cell in nbformat.read(path, as_version=4).cells[1:]]
    assert outputs[0][0].text == "a\n"
    assert outputs[1][0].data["text/plain"] == "2"


def test_a_kernel_has_one_thread_an_unwatched_screen_and_no_progress_of_the_reader(monkeypatch):
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setenv("BOTTOMUP_PROGRESS", "mine.json")
    environment = kernel_environment()
    assert environment["OMP_NUM_THREADS"] == environment["TQDM_DISABLE"] == "1"
    assert environment["CI"] == "true" and "MPLBACKEND" not in environment
    assert environment["BOTTOMUP_PROGRESS"] != "mine.json"
