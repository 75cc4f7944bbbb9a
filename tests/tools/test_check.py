from copy import deepcopy
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tests.explorables.demo import CHANCES
from tools.notebooks import drawings
from tools.notebooks.check import check, count_words
from tools.notebooks.digest import store_digest
from tools.notebooks.kept import keep_ignored
from tools.notebooks.normalise import WIDGET, normalise


def sound() -> NotebookNode:
    """A notebook that breaks no rule."""
    shown = {"tags": ["hide-input"], "mystnb": {"image": {"alt": "a line"}}}
    set_up = new_code_cell("x = 1", execution_count=1, metadata=shown)
    set_up.outputs = [new_output("display_data", {"image/png": "aGk="})]
    plain = new_code_cell("x", execution_count=2)
    before, behind = new_markdown_cell("word " * 810), new_markdown_cell("word " * 1190)
    return new_notebook(cells=[before, set_up, plain, behind])


def hide(cell: NotebookNode) -> None:
    cell.metadata.setdefault("tags", []).append("hide-output")
    cell.metadata["jupyter"] = {"outputs_hidden": True}


def problems(tmp_path: Path, notebook: NotebookNode, *, fresh: bool = True) -> list[str]:
    path = tmp_path / "01b_tiny.ipynb"
    nbformat.write(notebook, path)
    if fresh:
        store_digest(path, notebook)
    return check(path)


def test_a_sound_notebook_has_no_problems(tmp_path: Path):
    assert problems(tmp_path, sound()) == []


def test_a_stale_digest_names_the_command(tmp_path: Path):
    notebook = sound()
    store_digest(tmp_path / "01b_tiny.ipynb", notebook)
    notebook.cells[2].source = "x + 1"
    (problem,) = problems(tmp_path, notebook, fresh=False)
    assert problem.startswith("01b_tiny.ipynb: ")
    assert "`make refresh CH=01b`" in problem
    assert "`make chapters CH=01b`" in problem


def no_picture(notebook: NotebookNode) -> None:
    notebook.cells[1].outputs = []


def long_between(notebook: NotebookNode) -> None:
    notebook.cells[3].source += "word " * 11


def picture(notebook: NotebookNode) -> None:
    notebook.cells[2].outputs = [new_output("display_data", {"image/png": "aGk="})]


def only_hidden_picture(notebook: NotebookNode) -> None:
    hide(notebook.cells[1])


def hidden_on_the_page_alone(notebook: NotebookNode) -> None:
    notebook.cells[2].metadata["tags"] = ["hide-output"]


def hidden_in_the_notebook_alone(notebook: NotebookNode) -> None:
    notebook.cells[2].metadata["jupyter"] = {"outputs_hidden": True}


def wide_code(notebook: NotebookNode) -> None:
    notebook.cells[2].source = f"x = {'1' * 80}"


def no_count(notebook: NotebookNode) -> None:
    notebook.cells[2].execution_count = None


def out_of_order(notebook: NotebookNode) -> None:
    notebook.cells[2].execution_count = 5


def error(notebook: NotebookNode) -> None:
    notebook.cells[2].outputs = [new_output("error", ename="E", evalue="", traceback=[])]


def warning(notebook: NotebookNode) -> None:
    notebook.cells[2].outputs = [new_output("stream", name="stderr", text="careful")]


def widget(notebook: NotebookNode) -> None:
    notebook.cells[2].outputs = [new_output("display_data", {WIDGET: {"model_id": "a"}})]


def widget_state(notebook: NotebookNode) -> None:
    notebook.metadata["widgets"] = {}


def too_large(notebook: NotebookNode) -> None:
    notebook.cells[2].outputs = [new_output("stream", text="x" * 700_000)]


def little_prose(notebook: NotebookNode) -> None:
    notebook.cells[0].source = "word " * 809


def long_set_up(notebook: NotebookNode) -> None:
    notebook.cells[1].source = "x = 1\n" * 11
    notebook.cells += [new_code_cell("x", execution_count=n) for n in (3, 4)]


def unfolded_set_up(notebook: NotebookNode) -> None:
    notebook.cells[1].metadata.tags = []


def long_median(notebook: NotebookNode) -> None:
    notebook.cells[1].source = notebook.cells[2].source = "x = 1\n" * 7


def one_long_cell(notebook: NotebookNode) -> None:
    notebook.cells[2].source = "x = 1\n" * 21
    notebook.cells += [new_code_cell("x", execution_count=n) for n in (3, 4)]


def ignored_without_band(notebook: NotebookNode) -> None:
    notebook.cells[2].metadata["tags"] = ["nbval-ignore-output"]


def touched(notebook: NotebookNode) -> None:
    notebook.cells[2].source = "knobs('title', function, x=[1, 2])"
    notebook.cells[2].metadata["tags"] = ["nbval-ignore-output", "explorable"]


def bare_widget(notebook: NotebookNode) -> None:
    notebook.cells[2].source = "from ipywidgets import interact"


def other_code(notebook: NotebookNode) -> None:
    notebook.cells[2].source = "show_source(masks.causal_mask)"
    notebook.cells[2].metadata["tags"] = ["nbval-ignore-output", "source"]


def silenced(notebook: NotebookNode) -> None:
    notebook.cells[2].source = "x;"


def seeded(notebook: NotebookNode) -> None:
    notebook.cells[2].source = "torch.manual_seed(0)"


def skipped(notebook: NotebookNode) -> None:
    notebook.cells[2].metadata["tags"] = ["nbval-skip"]


@pytest.mark.parametrize(
    "spoil, sentence",
    [
        (picture, "draws a picture without metadata mystnb.image.alt"),
        (wide_code, "is over 76 columns wide"),
        (no_count, "not executed once and in order"),
        (out_of_order, "not executed once and in order"),
        (error, "code cell 2 shows an error"),
        (warning, "code cell 2 writes to stderr"),
        (widget, "code cell 2 stores a widget"),
        (widget_state, "holds widget state"),
        (too_large, "at most 700000"),
        (no_picture, "more than 900 words without a picture"),
        (long_between, "more than 1200 words without a picture"),
        (only_hidden_picture, "more than 900 words without a picture"),
        (hidden_on_the_page_alone, "tagged hide-output: set jupyter.outputs_hidden to true, too"),
        (hidden_in_the_notebook_alone, "has outputs_hidden, but not the tag hide-output"),
        (little_prose, "1999 words of prose"),
        (long_set_up, "set-up cell has 11 lines"),
        (unfolded_set_up, "needs the tag hide-input"),
        (long_median, "median code cell has 7 lines"),
        (one_long_cell, "code cell 2 has 21 lines"),
        (ignored_without_band, "no assert follows it"),
        (touched, "turns knobs, but stores no figure"),
        (bare_widget, "shows a widget, nothing on the page"),
        (other_code, "show_source(masks.causal_mask) has changed"),
        (silenced, "code cell 2 ends in a semicolon"),
        (seeded, "code cell 2 seeds globally"),
        (skipped, "tagged nbval-skip"),
    ],
)
def test_a_broken_rule_is_named(tmp_path: Path, spoil, sentence: str):
    notebook = sound()
    spoil(notebook)
    found = problems(tmp_path, notebook)
    assert len(found) == 1
    assert sentence in found[0]


def test_what_is_hidden_and_what_is_looked_up_are_no_problems(tmp_path: Path):
    notebook = sound()
    hide(notebook.cells[2])
    proofs = [
        new_markdown_cell("## 9. How we know\n\n" + "word " * 1201),
        new_code_cell("x", execution_count=3),
        new_markdown_cell("### More of it\n\n" + "word " * 1201),
    ]
    notebook.cells += proofs
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
    keep_ignored(notebook, sound())
    assert before.pop("collapsed") and notebook.cells[1].metadata == before


def test_what_is_drawn_for_the_hand_needs_no_band(tmp_path: Path):
    notebook = sound()
    touched(notebook)
    html = CHANCES.recorded._repr_html_()
    notebook.cells[2].outputs = [new_output("display_data", {"text/html": html})]
    assert problems(tmp_path, notebook) == []


def test_a_band_in_the_next_code_cell_is_enough(tmp_path: Path):
    notebook = sound()
    notebook.cells[2].metadata["tags"] = ["nbval-ignore-output"]
    prose, band = new_markdown_cell("In between."), new_code_cell("assert x", execution_count=3)
    notebook.cells += [prose, band]
    assert problems(tmp_path, notebook) == []


def test_a_band_in_the_same_cell_is_enough(tmp_path: Path):
    notebook = sound()
    notebook.cells[2].source = "print(x)\nassert x"
    notebook.cells[2].metadata["tags"] = ["nbval-ignore-output"]
    assert problems(tmp_path, notebook) == []


def test_a_band_two_code_cells_later_is_too_late(tmp_path: Path):
    notebook = sound()
    notebook.cells[2].metadata["tags"] = ["nbval-ignore-output"]
    notebook.cells += [new_code_cell("x", execution_count=3)]
    notebook.cells += [new_code_cell("assert x", execution_count=4)]
    (problem,) = problems(tmp_path, notebook)
    assert "code cell 2 is tagged nbval-ignore-output, but no assert follows it" in problem


def test_an_error_that_is_meant_is_no_problem(tmp_path: Path):
    notebook = sound()
    error(notebook)
    notebook.cells[2].metadata["tags"] = ["raises-exception"]
    assert problems(tmp_path, notebook) == []


def test_words_are_counted_without_code_formulas_and_markup():
    text = "Two words $a b c$ and `not this`.\n\n```python\nno code\n```\n"
    text += "<b>bold</b> [link](a/b) x-ray"
    assert count_words(text) == 6  # Two words and bold link x-ray
