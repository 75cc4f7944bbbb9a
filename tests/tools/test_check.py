"""Each rule of a stored chapter, broken once."""

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tests.explorables.demo import CHANCES
from tools.notebooks import drawings
from tools.notebooks.check import IGNORED, check, count_words
from tools.notebooks.fingerprint import NAME, fingerprint
from tools.notebooks.normalise import WIDGET, normalise

KNOBS = "knobs('title', function, x=[1, 2])"


def sound() -> NotebookNode:
    """A notebook that breaks no rule."""
    shown = {"tags": ["hide-input"], "mystnb": {"image": {"alt": "a line"}}}
    set_up = new_code_cell("x = 1", execution_count=1, metadata=shown)
    set_up.outputs = [new_output("display_data", {"image/png": "aGk="})]
    plain = new_code_cell("x", execution_count=2)
    before, behind = new_markdown_cell("word " * 810), new_markdown_cell("word " * 1190)
    return new_notebook(cells=[before, set_up, plain, behind])


def code(*sources: str) -> list[NotebookNode]:
    """Return the cells that come after those of a sound notebook."""
    return [new_code_cell(source, execution_count=n) for n, source in enumerate(sources, 3)]


def hide(cell: NotebookNode) -> None:
    cell.metadata.setdefault("tags", []).append("hide-output")
    cell.metadata["jupyter"] = {"outputs_hidden": True}


def problems(tmp_path: Path, notebook: NotebookNode, *, fresh: bool = True) -> list[str]:
    path = tmp_path / "01b_tiny.ipynb"
    if fresh:
        notebook.metadata[NAME] = fingerprint(notebook)
    nbformat.write(notebook, path)
    return check(path)


def test_code_that_was_edited_after_the_run_is_named_with_the_command(tmp_path: Path):
    notebook = sound()
    assert problems(tmp_path, notebook) == []
    notebook.cells[1].source = "y = 1"  # the set-up
    assert problems(tmp_path, notebook, fresh=False) == []
    notebook.cells[2].source = "x + 1"
    (problem,) = problems(tmp_path, notebook, fresh=False)
    assert problem.startswith("01b_tiny.ipynb: ") and "`make chapters CH=01b`" in problem


def cell(place: int, **changes: object) -> Callable[[NotebookNode], None]:
    """Return what changes a cell: its source, its outputs, its count, its tags."""

    def spoil(notebook: NotebookNode) -> None:
        found = notebook.cells[place]
        if "tags" in changes:
            found.metadata["tags"] = changes["tags"]
        found.update({name: value for name, value in changes.items() if name != "tags"})

    return spoil


def output(kind: str, *data: object, **fields: object) -> Callable[[NotebookNode], None]:
    """Return what gives the plain cell an output."""
    return cell(2, outputs=[new_output(kind, *data, **fields)])


def both(*spoils: Callable[[NotebookNode], None]) -> Callable[[NotebookNode], None]:
    return lambda notebook: [spoil(notebook) for spoil in spoils] and None


def more(notebook: NotebookNode) -> None:
    notebook.cells += code("x", "x")


@pytest.mark.parametrize(
    "spoil, sentence",
    [
        (output("display_data", {"image/png": "aGk="}), "a picture without metadata mystnb"),
        (output("error", ename="E", evalue="", traceback=[]), "code cell 2 shows an error"),
        (output("stream", name="stderr", text="careful"), "code cell 2 writes to stderr"),
        (output("display_data", {WIDGET: {"model_id": "a"}}), "code cell 2 stores a widget"),
        (output("stream", text="x" * 700_000), "at most 700000"),
        (lambda notebook: notebook.metadata.update(widgets={}), "holds widget state"),
        (cell(2, source=f"x = {'1' * 80}"), "is over 76 columns wide"),
        (cell(2, execution_count=None), "not executed once and in order"),
        (cell(2, execution_count=5), "not executed once and in order"),
        (cell(1, outputs=[]), "more than 900 words without a picture"),
        (cell(3, source="word " * 1201), "more than 1200 words without a picture"),
        (lambda notebook: hide(notebook.cells[1]), "more than 900 words without a picture"),
        (cell(2, tags=["hide-output"]), "hide-output: set jupyter.outputs_hidden to true, too"),
        (
            lambda notebook: notebook.cells[2].metadata.update(jupyter={"outputs_hidden": True}),
            "has outputs_hidden, but not the tag hide-output",
        ),
        (cell(0, source="word " * 809), "1999 words of prose"),
        (both(cell(1, source="x = 1\n" * 11), more), "set-up cell has 11 lines"),
        (cell(1, tags=[]), "needs the tag hide-input"),
        (
            both(cell(1, source="x = 1\n" * 7), cell(2, source="x = 1\n" * 7)),
            "median code cell has 7 lines",
        ),
        (both(cell(2, source="x = 1\n" * 21), more), "code cell 2 has 21 lines"),
        (cell(2, tags=[IGNORED]), "no assert follows it"),
        (
            lambda notebook: (
                cell(2, tags=[IGNORED])(notebook),
                notebook.cells.extend(code("x", "assert x")),  # too late
            ),
            "code cell 2 is tagged nbval-ignore-output, but no assert follows it",
        ),
        (cell(2, source=KNOBS, tags=[IGNORED, "explorable"]), "turns knobs, but stores no figure"),
        (cell(2, source="from ipywidgets import interact"), "shows a widget, nothing on the page"),
        (
            cell(2, source="show_source(masks.causal_mask)", tags=[IGNORED, "source"]),
            "show_source(masks.causal_mask) has changed",
        ),
        (cell(2, source="x;"), "code cell 2 ends in a semicolon"),
        (cell(2, source="torch.manual_seed(0)"), "code cell 2 seeds globally"),
        (cell(2, tags=["nbval-skip"]), "tagged nbval-skip"),
    ],
)
def test_a_broken_rule_is_named(tmp_path: Path, spoil, sentence: str):
    notebook = sound()
    spoil(notebook)
    (found,) = problems(tmp_path, notebook)
    assert sentence in found


FIGURE = new_output("display_data", {"text/html": CHANCES.recorded._repr_html_()})
ERROR = new_output("error", ename="E", evalue="", traceback=[])


@pytest.mark.parametrize(
    "changes, behind",
    [
        ({}, []),
        ({"source": KNOBS, "tags": [IGNORED, "explorable"], "outputs": [FIGURE]}, []),
        ({"tags": [IGNORED]}, code("assert x")),  # a band in the next cell
        ({"tags": [IGNORED], "source": "print(x)\nassert x"}, []),  # or in the same
        ({"tags": ["raises-exception"], "outputs": [ERROR]}, []),
    ],
)
def test_what_is_meant_is_no_problem(tmp_path: Path, changes: dict, behind: list[NotebookNode]):
    notebook = sound()
    cell(2, **changes)(notebook)
    notebook.cells += behind
    assert problems(tmp_path, notebook) == []


def test_what_is_hidden_and_what_is_looked_up_are_no_problems(tmp_path: Path):
    notebook = sound()
    hide(notebook.cells[2])
    notebook.cells += [
        new_markdown_cell("## 9. How we know\n\n" + "word " * 1201),
        *code("x"),
        new_markdown_cell("### More of it\n\n" + "word " * 1201),
    ]
    assert problems(tmp_path, notebook) == []
    notebook.cells += [new_markdown_cell("And more.\n\n## References\n\n" + "word " * 10)]
    (problem,) = problems(tmp_path, notebook)
    assert "more than 1200 words without a picture, up to '## References" in problem


def test_what_is_hidden_stays_hidden_when_a_notebook_is_renewed():
    notebook = sound()
    hide(notebook.cells[1])
    notebook.cells[1].metadata["collapsed"] = True
    before = deepcopy(notebook.cells[1].metadata)
    normalise(notebook)
    drawings.renew(notebook)
    assert before.pop("collapsed") and notebook.cells[1].metadata == before


def test_words_are_counted_without_code_formulas_and_markup():
    text = "Two words $a b c$ and `not this`.\n\n```python\nno code\n```\n"
    text += "<b>bold</b> [link](a/b) x-ray"
    assert count_words(text) == 6  # Two words and bold link x-ray
